"""The answer of a comparison of vectors with those before: what changed, and what remains."""

from collections import Counter
from collections.abc import Sequence

from unslant.core.better import better_side
from unslant.core.comparison import why_not_comparable
from unslant.reports import words
from unslant.reports.words import Record, counted, number, sentence

Pair = tuple[Record, Record]
"""A measurement now, and the same before."""

_STILL = {
    "clustering": "two clusters tell the sides of the words that leaned most, with accuracy",
    "recoverability": "a classifier tells them with accuracy",
    "bias-by-neighbours": "the lean of words before and of their neighbours now correlate by",
}
"""What looks past the direction that most methods remove, in the order of preference."""


def compared_answer(record: Record) -> list[str]:
    """What was compared; what changed; what remains."""
    pairs = comparable(record)
    quality = words.of_quality(record)
    bias = [pair for pair in pairs if pair[0] not in quality]
    return [
        _compared(record, len(pairs)),
        _changed(bias, words.leans(record)),
        _remains(bias, [pair for pair in pairs if pair[0] in quality]),
    ]


def comparable(record: Record) -> list[Pair]:
    """The measurements that have a value before and now, on the same words."""
    found = ((item, words.baseline_of(record, item)) for item in record["measurements"])
    return [
        (item, other)
        for item, other in found
        if other is not None
        and item["value"] is not None
        and other["value"] is not None
        and not why_not_comparable(item, other)
    ]


def clearly(pairs: Sequence[Pair]) -> Counter[str]:
    """How many are better, worse and neither, by intervals that do not overlap.

    They are intervals of the distance from the goal where there is one: an effect that changed its
    sign and nothing else is no better and no worse. If a measure has no interval or no better side,
    whether it improved is open.
    """
    return Counter(_verdict(*pair) for pair in pairs)


def _verdict(now: Record, before: Record) -> str:
    better = better_side(now["better"])
    if not better or not now["interval"] or not before["interval"]:
        return "open"
    first, second = (
        better.gaps(it["low"], it["high"]) for it in (now["interval"], before["interval"])
    )
    if first[0] <= second[1] and second[0] <= first[1]:
        return "neither"
    return "better" if first < second else "worse"


def _compared(record: Record, count: int) -> str:
    name, before = record["vectors"]["name"], record["baseline"]["name"]
    title, debiasing = record["concept"]["title"], record["debiasing"]
    made = f", which {debiasing['expression']} made of {before}," if debiasing else ""
    others = len(record["measurements"]) - count
    not_alike = f"; {others} more used other words or have no value, so they do not compare"
    return (
        f"{name}{made} was compared with {'the latter' if made else before} for “{title}” by "
        f"{counted(count, 'measurement')} on the same words{not_alike if others else ''}."
    )


def _changed(bias: Sequence[Pair], headline: Sequence[Record]) -> str:
    if not bias:
        return "No measurement of bias was made on the same words in both."
    found = clearly(bias)
    said = [
        f"what changed: of {counted(len(bias), 'measurement')} of bias {found['better']} "
        f"{'is' if found['better'] == 1 else 'are'} clearly better and {found['worse']} clearly "
        f"worse, by intervals before and after that do not overlap"
    ]
    tests = [pair for pair in bias if pair[0]["metric"] == "weat"]
    if tests:
        now, before = max(tests, key=lambda pair: abs(pair[1]["value"]))
        said.append(f"the strongest association, “{now['title']}”, went {_from_to(now, before, 2)}")
    leans = [pair for pair in bias if pair[0] in headline and pair[0]["words"]]
    if leans:
        now, before = leans[0]
        said.append(f"the mean lean of “{now['words'][0]['set']}” went {_from_to(now, before)}")
    return sentence(said)


def _remains(bias: Sequence[Pair], quality: Sequence[Pair]) -> str:
    said = []
    if bias:
        told = clearly(bias)
        said.append(
            f"what remains: {counted(told['neither'], 'measurement')} of bias without a clear "
            f"difference"
        )
        if told["open"]:
            said[0] += f", and {told['open']} without an interval to tell by"
    for metric, what in _STILL.items():
        for now, before in bias:
            if now["metric"] == metric:
                better = better_side(now["better"])
                fair = f", fair is {better.goal:g}" if better and better.has_goal else ""
                was = number(before["value"], 2)
                said.append(f"{what} {number(now['value'], 2)} (before {was}{fair})")
                break
    for metric, what in (("similarity", "human scores"), ("analogy", "analogies")):
        found = [pair for pair in quality if pair[0]["metric"] == metric]
        if found:
            now, before = (sum(pair[n]["value"] for pair in found) / len(found) for n in (0, 1))
            said.append(f"the quality by {what} went from {number(before)} to {number(now)}")
    return sentence(said) if said else "Nothing else can be compared."


def _from_to(now: Record, before: Record, digits: int = 3) -> str:
    return f"from {number(before['value'], digits)} to {number(now['value'], digits)}"
