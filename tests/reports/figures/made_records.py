"""Small records made by hand, and what every figure of one has to keep to."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import unslant.metrics  # noqa: F401  (registers)
from unslant.core.exhibits import Exhibit
from unslant.core.measurement import Interval, Measurement, PValue, WordUse
from unslant.core.record import Corrected, Meaning, Record, Resource, Result, Subject
from unslant.measures.registry import meaning
from unslant.reports.figures.figure import Figure

Row = dict[str, Any]

OUR_FIELDS = {
    "word", "text", "x", "y", "gap", "side", "row", "before", "now", "mark", "low", "high", "title",
    "effect", "interval", "p", "holm", "label", "value", "of", "cluster", "first", "second", "name",
    "answer", "begin", "end", "middle", "share", "opacity", "measure", "when", "span", "better",
    "note", "values", "zero", "was", "short",
}  # fmt: skip
FORBIDDEN = {"href", "url", "expr", "signal", "transform", "calculate", "usermeta"}

METRICS = ("weat", "direct-bias", "clustering")


def lean(
    points: Sequence[tuple[str, float, float]], neutral: str = "things", **details: Any
) -> Measurement:
    """A measurement of direct bias from words with their cosines to both sides."""
    return Measurement(
        metric="direct-bias",
        value=0.1 if points else None,
        why_undefined="" if points else "no direction",
        title=f"Lean of {neutral}",
        parameters={"expression": f"direct-bias(neutral={neutral})", "subject": "toy"},
        details={
            "direction": "pair-difference(up, across)",
            "positive-side": "ups",
            "negative-side": "acrosses",
            "first-side": "up",
            "second-side": "across",
            "words-of-the-first-side": "up",
            "words-of-the-second-side": "across",
            **details,
        },
        points=tuple(
            {
                "word": word,
                "projection": first - second,
                "first-cosine": first,
                "second-cosine": second,
            }
            for word, first, second in points
        ),
        words=(WordUse(set=neutral, used=tuple(word for word, _, _ in points)),),
    )


def weat(name: str, value: float | None, low: float, high: float, p: float = 0.5) -> Measurement:
    """An association test with its interval."""
    return Measurement(
        metric="weat",
        value=value,
        why_undefined="" if value is not None else "no words",
        title=name,
        parameters={"expression": "weat", "subject": f"toy/{name}"},
        interval=Interval(low=low, high=high, level=0.95, how="made"),
        p=PValue(value=p, how="exact", alternative="two-sided", outcomes=70),
    )


def clustering(points: Sequence[tuple[str, str, str, float, float]]) -> Measurement:
    """A clustering from words with side, cluster and place."""
    return Measurement(
        metric="clustering",
        value=0.9,
        title="Clusters of words",
        details={"V-measure": 0.8},
        points=tuple(
            {"word": word, "side": side, "cluster": cluster, "x": x, "y": y}
            for word, side, cluster, x, y in points
        ),
    )


def audit_of(
    now: Sequence[Measurement],
    before: Sequence[Measurement | None] = (),
    *,
    unlike: str = "",
    groups: Sequence[str] = ("ups", "acrosses"),
    exhibits: Sequence[Exhibit] = (),
    glossary: dict[str, Meaning] | None = None,
) -> Record:
    """An audit of these measurements; ``unlike`` says why before and now do not compare."""
    return Record(
        about="audit",
        subject=Subject(kind="concept", name="toy", title="Toy", groups=tuple(groups)),
        resource=Resource(name="new.vectors", kind="vectors"),
        baseline=Resource(name="old.vectors", kind="vectors") if before else None,
        results=tuple(
            Result(now=item, before=old, not_comparable=unlike, corrected=_corrected(item.p))
            for item, old in zip_longest(now, before)
        ),
        exhibits=tuple(exhibits),
        glossary={name: meaning(name) for name in METRICS} | (glossary or {}),
    )


def _corrected(p: PValue | None) -> Corrected | None:
    return Corrected(holm=min(1.0, 2 * p.value), benjamini_hochberg=p.value) if p else None


def without(found: Measurement, *keys: str) -> Measurement:
    """The measurement without these keys in its points and details."""
    return replace(
        found,
        points=tuple({k: v for k, v in p.items() if k not in keys} for p in found.points),
        details={k: v for k, v in found.details.items() if k not in keys},
    )


def rows_of(figure: Figure) -> list[Row]:
    """Every row of data in a figure."""
    return [row for _, rows in _layers(figure) for row in rows]


def texts_of(figure: Figure) -> list[str]:
    """The texts that stand in a figure: labels, names, columns."""
    return [
        row[part["encoding"]["text"]["field"]]
        for part, rows in _layers(figure)
        if isinstance(part.get("mark"), dict) and part["mark"]["type"] == "text"
        for row in rows
    ]


def keeps_the_rules(figure: Figure) -> None:
    """Fields and marks are ours, nothing is computed from text, and numbers are numbers."""
    spec = figure.chart.to_dict(validate=True)
    json.dumps(spec, allow_nan=False)
    assert not {key for part in _parts(spec) for key in part} & FORBIDDEN
    assert "config" not in figure.spec()
    for part in _parts(spec):
        if isinstance(part.get("field"), str):
            assert part["field"] in OUR_FIELDS, part["field"]
        mark = part.get("mark")
        if isinstance(mark, dict) and mark["type"] in ("point", "bar"):
            is_key = "value" in part["encoding"]["y"]
            assert is_key or part["encoding"].get("tooltip"), "every mark can be pointed at"
    assert figure.title
    assert figure.caption.endswith(".")
    assert figure.description.endswith(".")
    assert set(figure.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def _parts(value: Any) -> Iterator[Row]:
    if isinstance(value, dict):
        yield value
        for key, inner in value.items():
            if key not in ("values", "datasets"):
                yield from _parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)


def _layers(figure: Figure) -> Iterator[tuple[Row, list[Row]]]:
    """The parts that have data of their own, which Altair keeps by name."""
    spec = figure.spec()
    for part in _parts(spec):
        if "data" in part:
            yield part, spec["datasets"][part["data"]["name"]]
