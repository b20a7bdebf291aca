"""What “unslant nli probe 1” showed beside its numbers: examples, words and groups."""

from collections.abc import Iterator, Sequence

from unslant.core import nli_exhibits as show
from unslant.core.exhibits import Case, Exhibit
from unslant.core.older_records.parts import Plain

_EXAMPLES = {
    "entailment": "Pairs most confidently called entailment",
    "contradiction": "Pairs most confidently called contradiction",
    "furthest": "Pairs furthest from the right answer",
}


def exhibits_of(plain: Plain) -> Iterator[Exhibit]:
    """The most extreme pairs, tables of words, and groups and words as shares."""
    for key, items in plain["examples"].items():
        yield show.examples(key, _EXAMPLES[key], map(_case, items))
    yield from show.slices([_average(item) for item in plain["slices"]])
    by_side = {side: [_average(item) for item in items] for side, items in plain["words"].items()}
    yield from show.words(by_side)
    before, now = _groups(plain["groups_before"]), _groups(plain["groups"])
    if before:
        yield from show.shares(before, before, "before")
    if now:
        yield from show.shares(now, before or now)


def _case(item: Plain) -> Case:
    numbers = tuple(item[label] for label in show.LABELS)
    return Case(texts=(item["premise"], item["hypothesis"]), numbers=numbers, right=item["right"])


def _groups(items: Sequence[Plain]) -> list[show.GroupAnswer]:
    names = ("premises", "hypotheses", "side", "word")
    return [
        show.GroupAnswer(answer=_average(item), **{name: item[name] for name in names})
        for item in items
    ]


def _average(item: Plain) -> show.Average:
    numbers = (*show.LABELS, "fraction_neutral", "right", "pairs")
    return show.Average(words=tuple(item.get("words", ())), **{key: item[key] for key in numbers})
