"""Small records of audits, and what every figure of one has to keep to."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from unslant.reports.figures.figure import Figure

Record = dict[str, Any]

OUR_FIELDS = {
    "word", "text", "x", "y", "gap", "side", "row", "before", "after", "old", "high", "title",
    "effect", "interval", "p", "holm", "axis", "share", "of", "cluster", "lean", "first", "second",
}  # fmt: skip
FORBIDDEN = {"href", "url", "expr", "signal", "transform", "calculate", "usermeta"}


def lean(
    points: Sequence[tuple[str, float, float]],
    neutral: str = "things",
    of: str = "own",
    **details: Any,
) -> Record:
    """A measurement of direct bias from words with their cosines to both sides."""
    around = f"direct-bias(neutral={neutral}{', of=baseline' if of == 'baseline' else ''})"
    return measured(
        "direct-bias",
        around,
        "toy",
        0.1 if points else None,
        parameters={"neutral": neutral, "of": of},
        details={
            "direction": "pair-difference(up, across)",
            "positive side": "ups",
            "negative side": "acrosses",
            "first side": "up",
            "second side": "across",
            "words of the first side": "up",
            "words of the second side": "across",
            **details,
        },
        points=[
            {
                "word": word,
                "projection": first - second,
                "size": abs(first - second),
                "first cosine": first,
                "second cosine": second,
            }
            for word, first, second in points
        ],
        words=[used(neutral, [word for word, _, _ in points])],
    )


def weat(name: str, value: float | None, low: float, high: float, p: float = 0.5) -> Record:
    """An association test with its interval."""
    return measured(
        "weat",
        "weat",
        f"toy/{name}",
        value,
        title=name,
        interval={"low": low, "high": high, "level": 0.95, "how": "made"},
        p={"value": p, "how": "exact", "alternative": "two-sided", "outcomes": 70, "error": 0.0},
        words=[used("x", ["a", "b"])],
    )


def clustering(points: Sequence[tuple[str, str, str, float, float]]) -> Record:
    """A clustering from words with side, cluster and place."""
    return measured(
        "clustering",
        "clustering",
        "toy",
        0.9,
        details={"V-measure": 0.8},
        points=[
            {"word": word, "side": side, "cluster": cluster, "projection": 0.5, "x": x, "y": y}
            for word, side, cluster, x, y in points
        ],
    )


def used(name: str, words: Sequence[str]) -> Record:
    """What became of a set of words, all of which are there."""
    return {"set": name, "used": list(words), "spelt": [], "missing": [], "set_aside": []}


def measured(
    metric: str, expression: str, subject: str, value: float | None, **parts: Any
) -> Record:
    """A measurement with the parts that figures look at."""
    parameters = {"expression": expression, "subject": subject, "case": "lower"}
    plain: Record = {
        "metric": metric, "title": metric, "value": value, "why_undefined": "", "interval": None,
        "p": None, "details": {}, "words": [], "points": [],
    }  # fmt: skip
    return {**plain, **parts, "parameters": parameters | parts.get("parameters", {})}


def audit_of(
    after: Sequence[Record],
    before: Sequence[Record] = (),
    groups: Sequence[str] = ("ups", "acrosses"),
) -> Record:
    """An audit of these measurements."""
    holm = {item["title"]: min(1.0, 2 * item["p"]["value"]) for item in after if item["p"]}
    return {
        "kind": "unslant audit 2",
        "vectors": {"name": "new.vectors"},
        "baseline": {"name": "old.vectors"} if before else None,
        "concept": {"name": "toy", "title": "Toy", "groups": list(groups)},
        "measurements": list(after),
        "before": list(before),
        "corrections": {"weat": {"holm": holm}},
        "direction": None,
        "stability": [],
    }


def rows_of(figure: Figure) -> list[Record]:
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


def _parts(value: Any) -> Iterator[Record]:
    if isinstance(value, dict):
        yield value
        for key, inner in value.items():
            if key not in ("values", "datasets"):
                yield from _parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)


def _layers(figure: Figure) -> Iterator[tuple[Record, list[Record]]]:
    """The parts that have data of their own, which Altair keeps by name."""
    spec = figure.spec()
    for part in _parts(spec):
        if "data" in part:
            yield part, spec["datasets"][part["data"]["name"]]
