"""Dev et al. (2020): what the trainings on GloVe 840B say of each table, in words."""

from collections.abc import Sequence

from experiments.papers.dev_2020 import MEASURES, Trainings, trainings, values_of
from experiments.papers.seeds import Difference, difference, one_more
from experiments.papers.tables import Printed, markdown, number, published

NOT_YET = "not trained yet"


def tables() -> dict[str, str]:
    """The table of verdicts in docs/papers/dev-2020.md."""
    ours, theirs = trainings(), published("dev-2020")
    rows = [
        *(
            _level(ours, theirs, *about)
            for about in (("1", "gender"), ("3", "nationality"), ("5", "religion"))
        ),
        _projected(ours),
        *(_others(ours, subject) for subject in ("nationality", "religion")),
        _accuracy(ours),
    ]
    return {"verdicts": markdown(["Table", "published", "ours"], rows, left=3)}


def _level(ours: Trainings, theirs: Printed, table: str, subject: str) -> list[str]:
    """Whether the published scores of the original vectors are among those of our trainings."""
    row = [f"{table}: {subject}, original", "NN " + number(theirs[table, "GloVe", "NN"])]
    found = {m: values_of(ours, "gender", "original", subject, m) for m in MEASURES}
    if not all(found.values()):
        return [*row, NOT_YET]
    if any(len(values) < 2 for values in found.values()):
        return [*row, f"NN {number(found['NN'][0])}, one training"]
    words = []
    for measure, values in found.items():
        low, high = one_more(values)
        printed = theirs[table, "GloVe", measure] or 0.0
        side = "agrees" if low <= printed <= high else "lower" if high < printed else "higher"
        words.append(f"{measure} {side} [{number(low)}, {number(high)}]")
    return [*row, "; ".join(words)]


def _projected(ours: Trainings) -> list[str]:
    row = ["8: he − she removed", "all four rise by 25 to 160 %; random directions −6 to +4 %"]
    spaces = {
        name: [values_of(ours, "gender", name, "gender", m) for m in MEASURES]
        for name in ("original", "linear", "random")
    }
    if not all(all(values) for values in spaces.values()):
        return [*row, NOT_YET]
    return [
        *row,
        "; ".join(
            f"{title}: {_said(_apart(spaces[first], spaces[second]))}"
            for title, first, second in (
                ("against the original", "linear", "original"),
                ("against random directions", "linear", "random"),
                ("random against the original", "random", "original"),
            )
        ),
    ]


def _others(ours: Trainings, subject: str) -> list[str]:
    row = [f"9: {subject} removed", "all four rise by 12 to 21 %"]
    before = [values_of(ours, "gender", "original", subject, m) for m in MEASURES]
    after = [values_of(ours, subject, "linear", subject, m) for m in MEASURES]
    if not all(before) or not all(after):
        return [*row, NOT_YET]
    return [*row, f"against the original: {_said(_apart(after, before))}"]


def _accuracy(ours: Trainings) -> list[str]:
    row = ["10: accuracy", "within .4 points of the original"]
    key = "snli", "dev-accuracy"
    first = list(ours.get(("gender", "original", *key), ()))
    spaces = {"gender": "gender", "nationality": "nationality", "religion": "religion"}
    found = {name: list(ours.get((about, "linear", *key), ())) for name, about in spaces.items()}
    if not first or not all(found.values()):
        return [*row, NOT_YET]
    points = {name: 100 * difference(values, first).value for name, values in found.items()}
    return [
        *row,
        "; ".join(
            f"{name} {value:+.2f} points".replace("-", "−") for name, value in points.items()
        ),
    ]


def _apart(these: Sequence[list[float]], others: Sequence[list[float]]) -> list[Difference]:
    return [difference(*pair) for pair in zip(these, others, strict=True)]


def _said(found: Sequence[Difference]) -> str:
    """In how many of the measures there is a difference, and which way."""
    if any(item.is_told_apart is None for item in found):
        return "one training, no interval"
    up = [
        m for m, item in zip(MEASURES, found, strict=True) if item.is_told_apart and item.value > 0
    ]
    down = [
        m for m, item in zip(MEASURES, found, strict=True) if item.is_told_apart and item.value < 0
    ]
    parts = [f"{', '.join(names)} {way}" for names, way in ((up, "rise"), (down, "fall")) if names]
    rest = len(found) - len(up) - len(down)
    if rest:
        parts.append(f"{'all' if rest == len(found) else rest} not told from chance")
    return ", ".join(parts)
