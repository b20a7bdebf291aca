"""The main figure: the strongest findings from no bias to strong bias, all on one scale."""

from collections.abc import Iterator, Sequence
from typing import Any

from unslant.core.finding import SIZES
from unslant.core.record import Record, Result
from unslant.core.wording import interval, number
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import FIRST, QUIET
from unslant.reports.figures.values import of_rows, rounded, shortened, tooltips
from unslant.reports.leading import leading, place_of, scale_of, span_of
from unslant.reports.results import name_of

SUMMARY = "findings"
MOST = 5
"""So many findings fit on the first screen."""

_WIDTH, _ROW, _LABEL, _MARK, _NUMBER, _LONGEST, _SIZE = 344, 42, 9, 21, 33, 47, 11.5
_NUMBER_SIZE, _EDGE, _APART = 10.5, 16, 34
"""Numbers below marks: their size, how near the edge their middle may be, and each other's."""
_ZONES = ("none", *SIZES)
_SHADES = (0.0, 0.07, 0.14, 0.22)
_BEFORE = {"shape": "circle", "size": 70, "filled": False, "stroke": QUIET, "strokeWidth": 2}
_NOW = {"shape": "circle", "size": 80, "filled": True, "fill": FIRST, "opacity": 1}
_TIPS = {"title": "measure", "value": "value", "span": "interval", "before": "before"}

Row = dict[str, Any]


def findings(record: Record) -> Iterator[Figure]:
    """The figure, if any result has a scale from weak to strong; a map of layers is one itself."""
    if record.about == "layers":
        return
    judged = [result for result in leading(record, len(record.results)) if scale_of(record, result)]
    if not judged:
        return
    rows = [_row(record, place, result) for place, result in enumerate(judged[:MOST])]
    yield Figure(
        name=SUMMARY,
        title="The strongest findings",
        caption=_caption(rows, len(judged)),
        description=_description(rows),
        chart=_chart(rows),
        is_narrow=True,
    )


def _row(record: Record, place: int, result: Result) -> Row:
    now, before, finding, scale = (
        result.now,
        result.before,
        result.finding,
        scale_of(record, result),
    )
    assert finding is not None
    assert scale is not None
    row: Row = {
        "row": place,
        "x": rounded(place_of(now, scale)),
        "title": name_of(record, now),
        "label": shortened(name_of(record, now).partition(" (")[0], _LONGEST),
        "value": number(now.value),
        "short": number(now.value, 2),
        "span": interval(now.interval) or "–",
        "answer": finding.outcome or finding.level,
        "before": "–",
    }
    if span := span_of(now, scale):
        row |= {"low": rounded(span[0]), "high": rounded(span[1])}
    if before and before.value is not None and not result.not_comparable:
        row |= {"earlier": rounded(place_of(before, scale)), "before": number(before.value)}
        row["was"] = number(before.value, 2)
    return row | _number_places(row)


def _number_places(row: Row) -> Row:
    """Positions of numbers: below their marks, within the edges and without overlap."""
    pixel = len(_ZONES) / _WIDTH
    first, last, apart = _EDGE * pixel, (_WIDTH - _EDGE) * pixel, _APART * pixel
    now = min(max(row["x"], first), last)
    if "earlier" not in row:
        return {"number_at": rounded(now)}
    was = min(max(row["earlier"], first), last)
    if (near := apart - abs(now - was)) > 0:
        # They move apart by equal parts, and both away from an edge that one would cross.
        left, right = min(now, was) - near / 2, max(now, was) + near / 2
        shift = max(first - left, 0.0) - max(right - last, 0.0)
        now, was = (left + shift, right + shift) if now <= was else (right + shift, left + shift)
    return {"number_at": rounded(now), "was_at": rounded(was)}


def _chart(rows: Sequence[Row]) -> Any:
    import altair as alt

    height = _ROW * len(rows)
    across = alt.Scale(domain=[0, len(_ZONES)], nice=False)
    x = alt.X("x:Q", scale=across, axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[height, 0], nice=False), axis=None)

    def of(key: str, down: int) -> Any:
        found = [row for row in rows if key in row]
        return of_rows([{**row, "x": row[key], "y": row["row"] * _ROW + down} for row in found])

    zones = of_rows(
        {
            "x": place,
            "end": place + 1,
            "middle": place + 0.5,
            "name": zone,
            "opacity": shade,
            "y": 0,
        }
        for place, (zone, shade) in enumerate(zip(_ZONES, _SHADES, strict=True))
    )
    shade = alt.Opacity("opacity:Q", scale=None, legend=None)
    tips = {key: text for key, text in _TIPS.items() if key != "before" or _is_pair(rows)}
    marks = {"x": x, "y": y, "tooltip": tooltips(tips)}
    texts = of("x", _LABEL)

    def numbers(key: str, text: str, **style: Any) -> Any:
        found = of(key, _NUMBER).mark_text(fontSize=_NUMBER_SIZE, **style)
        return found.encode(x=x, y=y, text=f"{text}:N")

    layers = (
        zones.mark_rect(color=FIRST).encode(x=x, x2="end:Q", opacity=shade),
        zones.mark_text(baseline="bottom", dy=-4, fontSize=11).encode(
            x=alt.X("middle:Q", scale=across, axis=None), y=y, text="name:N"
        ),
        of("low", _MARK).mark_rule(strokeWidth=2.5, color=FIRST).encode(x2="high:Q", **marks),
        of("earlier", _MARK).mark_point(**_BEFORE).encode(**marks),
        of("x", _MARK).mark_point(**_NOW).encode(**marks),
        numbers("was_at", "was", color=QUIET),
        numbers("number_at", "short", fontWeight="bold"),
        texts.mark_text(align="left", fontSize=_SIZE).encode(x=alt.value(4), y=y, text="label:N"),
        texts.mark_text(align="right", fontSize=_SIZE, fontWeight="bold").encode(
            x=alt.value(_WIDTH - 4), y=y, text="answer:N"
        ),
    )
    return alt.layer(*layers).properties(width=_WIDTH, height=height)


def _is_pair(rows: Sequence[Row]) -> bool:
    return any("earlier" in row for row in rows)


def _caption(rows: Sequence[Row], count: int) -> str:
    said = [
        "Dots are values, lines their 95 % intervals; a bias is as strong as its whole line. "
        "“Strong” has no upper end, so it narrows to the right."
    ]
    if _is_pair(rows):
        said.append("Rings are the values before.")
    if count > len(rows):
        said.append(f"The first {len(rows)} of {count}.")
    return " ".join(said)


def _description(rows: Sequence[Row]) -> str:
    said = []
    for row in rows:
        before = f", before {row['before']}" if "earlier" in row else ""
        said.append(f"{row['title']}: {row['value']}{before}, {row['answer']}")
    return f"{'; '.join(said)}."
