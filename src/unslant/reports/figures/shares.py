"""Stacked bars of shares, such as the mean answer of a model for each group of words."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from unslant.core.exhibits import Share, Shares
from unslant.core.wording import counted, percent
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import CATEGORIES, QUIET
from unslant.reports.figures.values import of_rows, rounded, slug, tooltips

_MOST_BARS = 16
_TOLD = 8
_WIDTH, _ALONE = 235, 420
_BAR = 21
_PIXELS_FOR_TEXT = 20
_HEADINGS = {"before": "before", "now": "after"}

Row = dict[str, Any]
Key = tuple[str, str]


def shares(parts: Sequence[Shares]) -> Figure:
    """The first bars of an exhibit, before and now side by side; ``parts`` are in that order."""
    import altair as alt

    last = parts[-1]
    width = _ALONE if len(parts) == 1 else _WIDTH
    kept = [(row.label, row.group) for row in last.rows[:_MOST_BARS]]
    charts = [
        _panel(part, kept, width, _HEADINGS[part.when] if len(parts) > 1 else "", is_left=n == 0)
        for n, part in enumerate(parts)
    ]
    caption = last.caption or f"Each bar is split into {', '.join(last.labels)}."
    if len(last.rows) > len(kept):
        caption += f" The first {len(kept)} of {len(last.rows)} rows are shown."
    return Figure(
        name=slug(last.id),
        title=last.title,
        caption=caption,
        description=_description(parts, kept),
        chart=alt.hconcat(*charts, spacing=18) if len(charts) > 1 else charts[0],
    )


def _names(kept: Sequence[Key]) -> dict[Key, str]:
    """The names of the bars; repeated labels get their group's name."""
    count = Counter(label for label, _ in kept)
    return {
        (label, group): f"{label} ({group})" if count[label] > 1 and group else label
        for label, group in kept
    }


def _by_key(part: Shares) -> dict[Key, Share]:
    return {(row.label, row.group): row for row in part.rows}


def _inks(labels: Sequence[str]) -> list[tuple[str, float]]:
    """A colour and a strength for each label; the middle one of an odd number is neutral."""
    inks = [(CATEGORIES[place % len(CATEGORIES)], 0.65) for place in range(len(labels))]
    if len(labels) % 2 and len(labels) > 1:
        inks.insert(len(labels) // 2, (QUIET, 0.3))
    return inks[: len(labels)]


def _rows(part: Shares, kept: Sequence[Key], width: int) -> list[Row]:
    """The parts of each bar of ``width`` pixels, from the left."""
    found, by_key = [], _by_key(part)
    for key, name in _names(kept).items():
        begin = 0.0
        shown_shares = by_key[key].shares if key in by_key else ()
        for label, share, (_, strength) in zip(
            part.labels, shown_shares, _inks(part.labels), strict=False
        ):
            found.append(
                {
                    "name": name,
                    "answer": label,
                    "begin": rounded(begin),
                    "end": rounded(begin + share),
                    "middle": rounded(begin + share / 2),
                    "text": f"{100 * share:.0f}" if share * width >= _PIXELS_FOR_TEXT else "",
                    "share": percent(share, 1),
                    "opacity": strength,
                }
            )
            begin += share
    return found


def _panel(part: Shares, kept: Sequence[Key], width: int, heading: str, *, is_left: bool) -> Any:
    import altair as alt

    names = list(dict.fromkeys(_names(kept).values()))
    axis = alt.Axis(labelLimit=230, ticks=False, domain=False, labelPadding=8, labels=is_left)
    y = alt.Y("name:N", title=None, axis=axis)
    y = y.scale(domain=names, paddingInner=0.18, paddingOuter=0.1)
    scale = alt.Scale(domain=[0, 1], nice=False)
    percent = alt.Axis(format="%", tickCount=5, grid=False)
    tips = tooltips({"name": "bar", "answer": "part", "share": "share"})
    labels = list(part.labels)
    colours = alt.Scale(domain=labels, range=[colour for colour, _ in _inks(labels)])
    legend = alt.Legend(orient="top", title=None, symbolType="square", symbolOpacity=1)
    data = of_rows(_rows(part, kept, width))
    # Pale inside, so that the ink of both themes is read on it; full around, so that it stands out.
    bars = data.mark_bar(strokeWidth=1).encode(
        x=alt.X("begin:Q", scale=scale, axis=percent, title="share"),
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
        height=_BAR * len(names),
        title=alt.TitleParams(heading, fontSize=12, anchor="start", frame="group"),
    )


def _description(parts: Sequence[Shares], kept: Sequence[Key]) -> str:
    said = []
    for key, name in list(_names(kept).items())[:_TOLD]:
        rows = {part.when: _in_words(part, _by_key(part).get(key)) for part in parts}
        text = f"{name}: {rows.get('now') or rows.get('before')}"
        if "now" in rows and rows.get("before"):
            text += f"; before {rows['before']}"
        said.append(text)
    more = len(parts[-1].rows) - len(said)
    rest = f" And {counted(more, 'more row')}." if more > 0 else ""
    return ". ".join(said) + f".{rest}"


def _in_words(part: Shares, row: Share | None) -> str:
    if row is None:
        return ""
    return ", ".join(
        f"{percent(share, 0)} {label}"
        for label, share in zip(part.labels, row.shares, strict=False)
    )
