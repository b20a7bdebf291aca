"""Stacked bars of the three answers, as shares of the whole."""

from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.theme import FIRST, QUIET, SECOND
from unslant.reports.figures.values import rounded
from unslant.reports.words import Record

LABELS = ("entailment", "neutral", "contradiction")

_INKS = dict(zip(LABELS, (FIRST, QUIET, SECOND), strict=True))
_STRENGTH = {"entailment": 0.65, "neutral": 0.3, "contradiction": 0.65}
_BAR = 21
_PIXELS_FOR_TEXT = 20

Row = dict[str, Any]


def share_rows(items: Sequence[Record], names: Sequence[str], width: int) -> list[Row]:
    """The parts of each bar of ``width`` pixels, from the left."""
    found = []
    for item, name in zip(items, names, strict=True):
        begin = 0.0
        for label in LABELS:
            share = item[label]
            found.append(
                {
                    "name": name,
                    "answer": label,
                    "begin": rounded(begin),
                    "end": rounded(begin + share),
                    "middle": rounded(begin + share / 2),
                    "text": f"{100 * share:.0f}" if share * width >= _PIXELS_FOR_TEXT else "",
                    "share": f"{100 * share:.1f} %",
                    "opacity": _STRENGTH[label],
                    "pairs": f"{item['pairs']:,}",
                }
            )
            begin += share
    return found


def share_panel(
    rows: Sequence[Row], names: Sequence[str], width: int, heading: str, *, has_names: bool
) -> Any:
    """Bars of answers, one for each name."""
    import altair as alt

    axis = alt.Axis(labelLimit=230, ticks=False, domain=False, labelPadding=8, labels=has_names)
    y = alt.Y("name:N", title=None, axis=axis)
    y = y.scale(domain=list(dict.fromkeys(names)), paddingInner=0.18, paddingOuter=0.1)
    scale = alt.Scale(domain=[0, 1], nice=False)
    percent = alt.Axis(format="%", tickCount=5, grid=False)
    title = "mean probability"
    tips = [
        alt.Tooltip(f"{field}:N", title=said)
        for field, said in (
            ("name", "words"),
            ("answer", "answer"),
            ("share", "mean probability"),
            ("pairs", "pairs"),
        )
    ]
    colours = alt.Scale(domain=list(LABELS), range=[_INKS[label] for label in LABELS])
    legend = alt.Legend(orient="top", title=None, symbolType="square", symbolOpacity=1)
    data = alt.Chart(alt.Data(values=list(rows)))
    # Pale inside, so that the ink of both themes is read on it; full around, so that it stands out.
    bars = data.mark_bar(strokeWidth=1).encode(
        x=alt.X("begin:Q", scale=scale, axis=percent, title=title),
        x2="end:Q",
        y=y,
        fill=alt.Fill("answer:N", scale=colours, legend=legend),
        stroke=alt.Stroke("answer:N", scale=colours, legend=legend),
        fillOpacity=alt.FillOpacity("opacity:Q", scale=None),
        tooltip=tips,
    )
    texts = data.mark_text(fontSize=11).encode(
        x=alt.X("middle:Q", scale=scale), y=y, text="text:N", tooltip=tips
    )
    return alt.layer(bars, texts).properties(
        width=width,
        height=_BAR * len(set(names)),
        title=alt.TitleParams(heading, fontSize=12, anchor="start", frame="group"),
    )
