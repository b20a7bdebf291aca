"""What “unslant nli probe 1” showed beside its numbers: examples, words and groups."""

from collections.abc import Iterator, Sequence

from unslant.core.exhibits import Case, Column, Examples, Exhibit, Share, Shares, Table, Value, When
from unslant.core.older_records.parts import Plain

_LABELS = ("entailment", "neutral", "contradiction")
_SIDES = ("premise", "hypothesis")
_EXAMPLES = {
    "entailment": "Pairs most confidently called entailment",
    "contradiction": "Pairs most confidently called contradiction",
    "furthest": "Pairs furthest from the right answer",
}
_MANY_WORDS = 20
_MOST_BARS = 16
_FIRST_WORDS = 6


def exhibits_of(plain: Plain) -> Iterator[Exhibit]:
    """Groups and words as shares, the most extreme pairs, and tables of words."""
    yield from _shares(plain)
    for key, items in plain["examples"].items():
        yield Examples(
            id=f"examples-{key}",
            title=_EXAMPLES[key],
            texts=_SIDES,
            numbers=_LABELS,
            cases=tuple(
                Case(
                    texts=(item["premise"], item["hypothesis"]),
                    numbers=tuple(item[label] for label in _LABELS),
                    right=item["right"],
                )
                for item in items
            ),
            caption="Probabilities of the three answers; one example for each pair of words.",
        )
    if plain["slices"]:
        yield _table(
            "slices",
            "Mean answers for the requested words",
            ("words, premise first", *_LABELS, "pairs"),
            [(" → ".join(item["words"]), *_means(item), item["pairs"]) for item in plain["slices"]],
        )
    several = [side for side, items in plain["words"].items() if len(items) > 1]
    said_of = several[-1] if several else ""  # a side with one word says nothing about words
    for side, items in plain["words"].items():
        yield _table(
            f"words-{side}",
            f"Mean answer for each {side} word",
            (f"{side} word", *_LABELS, "right answer", "pairs"),
            [
                (", ".join(item["words"]), *_means(item), item["right"], item["pairs"])
                for item in sorted(items, key=lambda item: item["right"])
            ],
            is_detail=len(items) > _MANY_WORDS,
            says=_extremes(items) if side == said_of else "",
        )


def _extremes(items: Sequence[Plain]) -> str:
    least, *_, most = sorted(items, key=lambda item: item["right"])
    ends = [f"“{item['words'][0]}” ({item['right']:.2f})" for item in (least, most)]
    return f"The right answer is least likely for {ends[0]} and most likely for {ends[1]}."


def _means(item: Plain) -> tuple[Value, ...]:
    return tuple(item[label] for label in _LABELS)


def _table(
    id: str,
    title: str,
    labels: Sequence[str],
    rows: Sequence[tuple[Value, ...]],
    *,
    is_detail: bool = False,
    says: str = "",
) -> Table:
    digits = (None, *(3 for _ in labels[2:]), 0)
    return Table(
        id=id,
        title=title,
        columns=tuple(
            Column(label=label, digits=count) for label, count in zip(labels, digits, strict=True)
        ),
        rows=tuple(rows),
        caption="Mean probabilities over all pairs with the word; the least right answers first.",
        is_detail=is_detail,
        says=says,
        first=_FIRST_WORDS,
    )


def _shares(plain: Plain) -> Iterator[Shares]:
    for_words = _furthest_words(plain)
    for when, items in (("before", plain["groups_before"]), ("now", plain["groups"])):
        whole = [item for item in items if not item["word"]]
        if whole:
            yield _shares_of("answers", "Mean answer for each group", whole, when)
        of_words = {_key(item): item for item in items}
        some = [of_words[_key(item)] for item in for_words if _key(item) in of_words]
        if some:
            yield _shares_of("answers-words", "Words furthest from the right answer", some, when)


def _shares_of(id: str, title: str, items: Sequence[Plain], when: When | str) -> Shares:
    return Shares(
        id=id,
        title=title,
        labels=_LABELS,
        rows=tuple(
            Share(
                label=_name(item),
                shares=tuple(item[label] for label in _LABELS),
                group=item["hypotheses"] or item["premises"],
            )
            for item in items
        ),
        caption="Mean probabilities of entailment, neutral and contradiction, from the left.",
        when="before" if when == "before" else "now",
    )


def _key(item: Plain) -> tuple[str, ...]:
    return item["side"], item["word"], item["premises"], item["hypotheses"]


def _name(item: Plain) -> str:
    """A group, or a word with the group that it was asked with."""
    word, is_premise = item["word"], item["side"] == "premise"
    if not word:
        return " → ".join(filter(None, (item["premises"], item["hypotheses"]))) or "all words"
    own, other = item["premises"], item["hypotheses"]
    if not is_premise:
        own, other = other, own
    if other:
        return f"{word} → {other}" if is_premise else f"{other} → {word}"
    return f"{word} ({own})" if own else str(word)


def _furthest_words(plain: Plain) -> list[Plain]:
    """The answers for the words furthest from right, for every group of the other side.

    These are words of the premise, such as occupations, if the hypotheses have groups.
    """
    old = plain["groups_before"] or plain["groups"]
    words = {side: {item["word"] for item in old if item["side"] == side} for side in _SIDES}
    has_groups = any(item["hypotheses"] for item in plain["groups"])
    side = "premise" if has_groups and len(words["premise"]) > 1 else "hypothesis"
    if len(words[side]) < 2:
        return []
    worst: dict[str, float] = {}
    for item in (item for item in old if item["side"] == side):
        worst[item["word"]] = min(worst.get(item["word"], 1.0), item["right"])
    bars = max(sum(item["word"] == word for item in old) for word in worst)
    kept = sorted(worst, key=lambda word: worst[word])[: max(1, _MOST_BARS // bars)]
    return [
        item
        for word in kept
        for item in plain["groups"]
        if item["side"] == side and item["word"] == word
    ]
