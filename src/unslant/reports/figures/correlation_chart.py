"""The chart of a matrix of correlations: one cell for each pair."""

from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.study_values import FULL
from unslant.reports.figures.theme import FIRST, QUIET, SECOND
from unslant.reports.figures.values import shown

SIDES = ("rise together", "one rises as the other falls")

_WIDTH, _NARROWEST, _WIDEST, _ROW = 480, 38, 58, 27
_TIPS = {
    "first": "one measure",
    "second": "the other",
    "value": "coefficient",
    "span": "interval",
    "n": "rows with both",
    "p": "p",
    "corrected": "p after correction",
    "note": "note",
}

ChartRow = dict[str, Any]


def matrix_chart(labels: Sequence[str], rows: Sequence[ChartRow]) -> Any:
    """The lower half of the matrix of these measures, without its diagonal."""
    import altair as alt

    names = [shown(label) for label in labels]
    across, down = names[:-1], names[1:]
    wide = min(max(_WIDTH // len(across), _NARROWEST), _WIDEST)
    bands = {"paddingInner": 0.05, "paddingOuter": 0}
    quiet = {"domain": False, "ticks": False, "title": None}
    x = alt.X("first:N", scale=alt.Scale(domain=across, **bands)).axis(
        labelAngle=-35, labelLimit=150, labelPadding=4, **quiet
    )
    y = alt.Y("second:N", scale=alt.Scale(domain=down, **bands)).axis(
        labelLimit=200, labelPadding=6, **quiet
    )
    place = {
        "x": x,
        "y": y,
        "tooltip": [
            alt.Tooltip("n:Q", title=title)
            if field == "n"
            else alt.Tooltip(f"{field}:N", title=title)
            for field, title in _TIPS.items()
        ],
    }
    base = alt.Chart()
    fills = (
        base.mark_rect(cornerRadius=2)
        .transform_filter(alt.FieldEqualPredicate(field="defined", equal=True))
        .encode(
            color=alt.Color(
                "side:N",
                scale=alt.Scale(domain=list(SIDES), range=[FIRST, SECOND]),
                legend=alt.Legend(
                    orient="bottom", title=None, symbolType="square", symbolOpacity=FULL
                ),
            ),
            opacity=alt.Opacity("strength:Q", scale=None),
            **place,
        )
    )
    empty = (
        base.mark_rect(cornerRadius=2, fill="transparent", stroke=QUIET, strokeDash=[2, 3])
        .transform_filter(alt.FieldEqualPredicate(field="defined", equal=False))
        .encode(**place)
    )
    texts = [
        base.mark_text(fontSize=11, fontWeight=weight, opacity=opacity)
        .transform_filter(alt.FieldEqualPredicate(field="clear", equal=is_clear))
        .encode(text="text:N", **place)
        for is_clear, weight, opacity in ((True, "bold", 1.0), (False, "normal", 0.75))
    ]
    return alt.layer(fills, empty, *texts, data=alt.Data(values=list(rows))).properties(
        width=wide * len(across), height=_ROW * len(down)
    )
