"""The scores of a probe, before and after debiasing, and with random directions."""

from collections.abc import Iterator, Sequence
from typing import Any

from unslant.core.record import Control, Record, Result
from unslant.core.wording import interval, number, p_value, span
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import FIRST, QUIET, THIRD
from unslant.reports.figures.values import intervals_text, of_rows, rounded, tooltips
from unslant.reports.results import name_of

AFTER, BEFORE, RANDOM = "after", "before", "random directions"
ALONE = "now"

_PLOT, _BAR, _GROUP, _NAME = 316, 15, 36, 18
"""Names are above the bars, so that the figure is as narrow as a telephone."""
_VALUE = 40
_CLOSE_TO_1 = 0.8
_TIPS = {
    "title": "score",
    "when": "when",
    "text": "value",
    "span": "interval",
    "p": "p",
    "better": "better",
    "note": "note",
}

Row = dict[str, Any]


def score_bars(rows: Sequence[Row], controls: Sequence[Row], better: str) -> Any:
    """A bar for each row of data, grouped by measure, with intervals and controls."""
    import altair as alt

    measures = list(dict.fromkeys(row["measure"] for row in rows))
    whens = [when for when in (BEFORE, AFTER, ALONE) if any(r["when"] == when for r in rows)]
    group = _GROUP if len(whens) > 1 else _GROUP - _BAR
    step = group + _NAME
    scale = alt.Scale(domain=_domain(rows, controls), nice=False)
    axis = alt.Axis(tickCount=5, format=".2~f")
    x = alt.X("x:Q", title=f"value ({better} is better)", axis=axis, scale=scale)
    share = rounded(_NAME / step)
    bands = alt.Scale(domain=measures, paddingInner=share, paddingOuter=share)
    y = alt.Y("measure:N", title=None, scale=bands).axis(
        labelLimit=_PLOT + _VALUE,
        labelAlign="left",
        labelPadding=-2,
        labelOffset=-(group + _NAME) / 2,
        ticks=False,
        domain=False,
        zindex=1,
    )
    offset = alt.YOffset("when:N", scale=alt.Scale(domain=whens, paddingInner=0.12))
    legend = [*whens, *([RANDOM] if controls else [])]
    inks = {BEFORE: QUIET, AFTER: FIRST, ALONE: FIRST, RANDOM: THIRD}
    looks = alt.Scale(domain=legend, range=[inks[when] for when in legend])
    key = {"orient": "top", "symbolType": "square", "symbolOpacity": 1}
    shown = alt.Legend(**key) if len(legend) > 1 else None
    colour = alt.Color("when:N", title=None, scale=looks, legend=shown)
    # Pale inside, so that intervals are seen on it; full around, so that it stands out itself.
    edge = alt.Stroke("when:N", title=None, scale=looks, legend=shown)
    place = {"y": y, "yOffset": offset, "tooltip": tooltips(_TIPS)}
    known = of_rows(row for row in rows if row["text"] != "NA")  # an edge at 0 would be a value
    bars = known.mark_bar(fillOpacity=0.6, strokeWidth=1)
    spans = of_rows(row for row in rows if row["low"] is not None).mark_rule(strokeWidth=1.6)
    texts = of_rows(rows).mark_text(align="left", fontSize=11)
    return alt.layer(
        bars.encode(x=x, x2="zero:Q", color=colour, stroke=edge, **place),
        *_bands(controls, scale, y, colour),
        spans.encode(x=alt.X("low:Q", scale=scale), x2="high:Q", **place),
        texts.encode(x=alt.value(_PLOT + 8), text="text:N", **place),
    ).properties(width=_PLOT, height=step * len(measures) + _NAME)


def _bands(controls: Sequence[Row], scale: Any, y: Any, colour: Any) -> list[Any]:
    """The range of the controls across both bars, and a tick for each of them."""
    import altair as alt

    if not controls:
        return []
    tips = {
        "measure": "measure",
        "values": "with random directions removed",
        "p": "share at least as good as the method",
    }
    place = {"y": y, "tooltip": tooltips(tips)}
    band = of_rows(controls).mark_bar(opacity=0.25)
    draws = [{**row, "x": value} for row in controls for value in row["draws"]]
    ticks = of_rows(draws).mark_tick(thickness=1.6, bandSize=_GROUP, opacity=1)
    return [
        band.encode(x=alt.X("low:Q", scale=scale), x2="high:Q", color=colour, **place),
        ticks.encode(x=alt.X("x:Q", scale=scale), color=colour, **place),
    ]


def _domain(rows: Sequence[Row], controls: Sequence[Row]) -> list[float]:
    """Room for 0 and for all bars and intervals, up to 1 if the longest comes close to it."""
    ends = [
        row[end] for row in (*rows, *controls) for end in ("x", "low", "high") if row.get(end)
    ] or [1.0]
    low, high = min(0.0, *ends), max(0.0, *ends)
    return [
        rounded(1.04 * low),
        1.0 if _CLOSE_TO_1 < high <= 1 else rounded(1.04 * high),
    ]


def scores(record: Record) -> Iterator[Figure]:
    """Bars of all scores of a probe with their intervals, one figure for each better side."""
    families: dict[str, list[Result]] = {}
    for result in record.results:
        meaning = record.glossary.get(result.now.metric)
        if meaning is not None and meaning.role == "probe":
            families.setdefault(result.now.better or meaning.better, []).append(result)
    for better, family in families.items():
        yield Figure(
            name="measures",
            is_narrow=True,
            title=f"{record.subject.title}: scores",
            caption=_caption(record, family),
            description=_description(record, family, better),
            chart=score_bars(
                [row for n, result in enumerate(family) for row in _bars(record, n, result)],
                [
                    _band(record, n, result, result.control)
                    for n, result in enumerate(family)
                    if result.control and result.control.values
                ],
                better,
            ),
        )


def _bars(record: Record, place: int, result: Result) -> Iterator[Row]:
    sides = [(ALONE if result.before is None else AFTER, result.now)]
    if result.before is not None:
        sides.insert(0, (BEFORE, result.before))
    for when, found in sides:
        span = found.interval
        yield {
            "place": place,
            "measure": name_of(record, result.now),
            "when": when,
            "x": rounded(found.value or 0.0),
            "zero": 0,
            "low": rounded(span.low) if span else None,
            "high": rounded(span.high) if span else None,
            "text": number(found.value),
            "title": found.title,
            "span": interval(span) or "–",
            "p": p_value(found.p) if found.p else "–",
            "better": found.better,
            "note": found.why_undefined or "–",
        }


def _band(record: Record, place: int, result: Result, control: Control) -> Row:
    return {
        "place": place,
        "measure": name_of(record, result.now),
        "when": RANDOM,
        "low": rounded(min(control.values)),
        "high": rounded(max(control.values)),
        "draws": [rounded(value) for value in control.values],
        "values": ", ".join(map(number, control.values)),
        "p": p_value(control.p) if control.p else "–",
    }


def _caption(record: Record, family: Sequence[Result]) -> str:
    said = [intervals_text(result.now.interval for result in family)]
    controls = [result.control for result in family if result.control and result.control.values]
    if controls:
        k, draws = controls[0].directions, max(len(control.values) for control in controls)
        removed = "one random direction" if k == 1 else f"{k} random directions"
        if controls[0].instead:
            said.append(
                f"Green lines show {draws} controls: {controls[0].instead}. If a bar ends within "
                f"their range, the method does no more than training does."
            )
            controls = []
    if controls:
        said.append(
            f"Green lines show {draws} controls that remove {removed} instead, and the band is "
            f"their range. If a bar ends within the band, the method does no more than a random "
            f"direction would."
        )
    is_read = record.predictor is not None  # a language model is its own predictor
    if record.treatment and not record.treatment.is_retrained and family[0].before and is_read:
        said.append("One model read all of these vectors; it was trained before debiasing.")
    # A caveat of one score among several would read as that of all.
    caveats = {record.glossary[result.now.metric].misleads for result in family}
    said += caveats if len(caveats) == 1 else []
    return " ".join(text for text in said if text) or "Each bar is one score."


def _description(record: Record, family: Sequence[Result], better: str) -> str:
    said = []
    for result in family:
        text = f"{name_of(record, result.now)}: {number(result.now.value)}"
        if result.before is not None:
            text += f", before {number(result.before.value)}"
        if result.control and result.control.values:
            low, high = min(result.control.values), max(result.control.values)
            text += f", random {span(low, high)}"
        said.append(text)
    return f"{'; '.join(said)}. For each score, {better} is better."
