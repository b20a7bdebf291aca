"""Records of studies made up for tests, and what can be said of every figure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.record import Role
from unslant.core.study_record import PlanFacts, StudyPart, StudyStatus
from unslant.reports.figures.export import drawn
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.heatmap import Heat, heats
from unslant.studies.answers import Row, correlate, table
from unslant.studies.study_record import front_of

Plain = dict[str, Any]


def row(method: str, measure: str, value: float | None, better: str, **given: Any) -> Row:
    """A cell; one without a value is undefined unless ``state`` says otherwise."""
    facts: Plain = {"resource": "glove", "concept": "gender", "seed": 0, "words_key": "usual"}
    facts["state"] = "undefined" if value is None else "done"
    facts |= given
    return Row(method=method, measure=measure, value=value, better=better, **facts)


def study(rows: Sequence[Row], roles: Mapping[str, Role] | None = None) -> StudyPart:
    """A finished study with these numbers."""
    laid_out = table(rows)
    methods = tuple(dict.fromkeys(one.method for one in rows))
    return StudyPart(
        plan=PlanFacts(
            resources=tuple(dict.fromkeys(one.resource for one in rows)),
            methods=methods,
            expressions={name: "" if name == "original" else name for name in methods},
        ),
        status=StudyStatus(planned=len(rows), done=len(rows)),
        table=laid_out,
        correlations=_or_none(lambda: correlate(rows)),
        front=_or_none(lambda: front_of(rows, laid_out, roles or {})),
    )


def heat_of(rows: Sequence[Row]) -> Heat:
    """How strongly each number of a study is coloured."""
    made = study(rows)
    assert made.table is not None
    return heats(made, made.table)


def _or_none(make: Any) -> Any:
    try:
        return make()
    except UnslantError:
        return None


def parts(value: Any) -> Iterator[Any]:
    """Every dictionary in a plain value."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            yield from parts(item)


def data(figure: Figure) -> list[Plain]:
    """Every row of data of a figure."""
    spec = figure.spec()
    found = [one["values"] for one in parts(spec) if isinstance(one.get("values"), list)]
    found += list(spec.get("datasets", {}).values())
    return [row for rows in found for row in rows if isinstance(row, dict)]


def check(figure: Figure, texts: Sequence[str] = ()) -> None:
    """What every figure promises; ``texts`` are words of the user that it shows."""
    spec = figure.spec()
    assert drawn(figure, "svg").startswith(b"<svg")
    assert figure.title
    assert figure.caption
    assert figure.description
    assert re.fullmatch(r"[a-z0-9-]+", figure.name)
    plain = json.dumps(spec, allow_nan=False)
    assert '"href"' not in plain
    assert '"url"' not in plain
    for one in parts(spec):
        if "field" in one and isinstance(one["field"], str):
            assert re.fullmatch(r"[a-z]+", one["field"]), one
        for key in ("filter", "expr", "calculate", "labelExpr"):
            if key in one:
                assert not any(text in json.dumps(one[key]) for text in texts)
