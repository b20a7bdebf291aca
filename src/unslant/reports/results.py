"""Which results of a record go together, and what they are called."""

from collections.abc import Sequence

from unslant.core.expression import parse_call
from unslant.core.measurement import Measurement
from unslant.core.record import Meaning, Record, Result, Role
from unslant.core.score import Better, Drawing, better_side

Point = tuple[str, float]

_SMALLEST = 0.0005
"""Smaller values print as 0.000 and count as neither side."""


def meaning_of(record: Record, item: Measurement) -> Meaning | None:
    """The glossary's entry for a measurement, if there is one."""
    return record.glossary.get(item.metric)


def of_role(record: Record, *roles: Role) -> list[Result]:
    """The results whose measure has one of these roles."""
    return [
        result
        for result in record.results
        if (meaning := meaning_of(record, result.now)) and meaning.role in roles
    ]


def main_tests(record: Record) -> list[Result]:
    """The association tests by the measure that the record has first."""
    tests = of_role(record, "test")
    return [result for result in tests if result.now.metric == tests[0].now.metric]


def name_of(record: Record, item: Measurement) -> str:
    """The name of a result for readers; probes add the papers' name."""
    meaning = meaning_of(record, item)
    short = f" ({meaning.short})" if meaning and meaning.short else ""
    return f"{item.title or item.metric}{short}"


def brief_name(item: Measurement) -> str:
    """The shortest name of a result: ``weat career-family``, ``analogy google``.

    >>> parameters = {"expression": "weat(ddof=0)", "subject": "a/b"}
    >>> brief_name(Measurement(value=0.0, metric="weat", parameters=parameters))
    'weat 0 b'
    """
    given = parse_call(str(item.parameters.get("expression", item.metric)))
    _, _, test = str(item.parameters.get("subject", "")).partition("/")
    parts = [item.metric, *map(str, given.args), *(str(value) for _, value in given.kwargs), test]
    return " ".join(part for part in parts if part)


def better_of(item: Measurement) -> Better | None:
    """Which way is better, if the measurement says so."""
    return better_side(item.better)


def comparable(results: Sequence[Result]) -> list[Result]:
    """The results with a value before and now, on the same words."""
    return [
        result
        for result in results
        if result.before is not None
        and result.now.value is not None
        and result.before.value is not None
        and not result.not_comparable
    ]


def drawn_on_axis(record: Record, item: Measurement) -> Drawing | None:
    """How the points of a measurement lie along one axis, if they do."""
    meaning = meaning_of(record, item)
    drawings = meaning.drawn if meaning else ()
    return next((drawing for drawing in drawings if drawing.kind == "axis"), None)


def furthest(item: Measurement, drawing: Drawing, count: int) -> tuple[list[Point], list[Point]]:
    """The points furthest to the positive and to the negative side, furthest first."""
    points = [
        (str(point[drawing.label]), float(point[drawing.x]))
        for point in item.points
        if drawing.label in point and isinstance(point.get(drawing.x), float | int)
    ]
    ordered = sorted(points, key=lambda point: point[1])
    return (
        [point for point in ordered[::-1][:count] if point[1] >= _SMALLEST],
        [point for point in ordered[:count] if point[1] <= -_SMALLEST],
    )


def sides_of(item: Measurement, drawing: Drawing) -> tuple[str, str] | None:
    """The names of an axis's positive and negative sides, if both have one."""
    names = [item.details.get(key) for key in drawing.sides or ()]
    return (str(names[0]), str(names[1])) if len(names) == 2 and all(names) else None


def missing_words(record: Record) -> list[str]:
    """Every listed word that is missing from the vectors, but for those of quality benchmarks."""
    about = [
        result.now
        for result in record.results
        if not (meaning := meaning_of(record, result.now)) or meaning.role != "quality"
    ]
    return sorted({word for item in about for use in item.words for word in use.missing})
