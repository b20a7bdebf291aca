"""How the variance falls off over the axes of a subspace, beside that of random words."""

from collections.abc import Sequence
from typing import Any

from unslant.reports.figures.figure import Figure
from unslant.reports.figures.panels import Record
from unslant.reports.figures.rows import of_rows
from unslant.reports.figures.theme import FIRST, QUIET
from unslant.reports.figures.values import rounded, shortened, shown
from unslant.reports.words import number

_WIDTH, _HEIGHT = 280, 170
_MOST_PANELS = 6
_ROUNDING = 1e-6
_OWN, _CHANCE = "words of the concept", "random words"


def spectrum(record: Record) -> Figure | None:
    """The spectra of the direction in use and of the alternatives that have several axes."""
    rows = [record.get("direction"), *record.get("stability", ())]
    found = {row["estimator"]: row for row in rows if row and len(row.get("explained") or ()) > 1}
    if not found:
        return None
    spectra = list(found.values())[:_MOST_PANELS]
    concept = shortened(record["concept"]["name"])
    return Figure(
        name="spectrum",
        title=f"How much of the difference each axis of {concept} holds",
        caption=(
            f"In {shown(record['vectors']['name'])}. "
            "Each bar is an axis of the subspace that an estimator finds: the share of the "
            "variance of its words, or of their differences, that lies along it. The line is what "
            "the same estimator finds in as many random words, on average. One high bar far above "
            "the line means that a single direction holds most; bars that fall off like the line "
            "mean that the words determine no direction well. Few words always give high shares, "
            "which is why the line is there."
        ),
        description=" ".join(map(_told, spectra)),
        chart=_chart(spectra),
    )


def _chart(spectra: Sequence[Record]) -> Any:
    import altair as alt

    highest = max(max(*row["explained"], *(row.get("chance") or [0])) for row in spectra)
    panels = [
        _panel(row, highest * 1.05, is_left=place % 2 == 0) for place, row in enumerate(spectra)
    ]
    return alt.concat(*panels, columns=min(2, len(panels)), spacing=24)


def _panel(row: Record, highest: float, *, is_left: bool) -> Any:
    import altair as alt

    values: list[dict[str, Any]] = [
        {"axis": place, "share": rounded(share), "of": name}
        for name, shares in ((_OWN, row["explained"]), (_CHANCE, row.get("chance") or ()))
        for place, share in enumerate(shares, 1)
        if share > _ROUNDING
    ]
    axes = sorted({value["axis"] for value in values})
    own, chance = ([v for v in values if v["of"] == name] for name in (_OWN, _CHANCE))
    encoded = {
        "x": alt.X("axis:O", title="axis", scale=alt.Scale(domain=axes), axis=_plain()),
        "y": alt.Y(
            "share:Q",
            title="share of the variance" if is_left else None,
            scale=alt.Scale(domain=[0, rounded(highest)], nice=False),
            axis=alt.Axis(format=".0%", tickCount=5),
        ),
        "color": alt.Color(
            "of:N",
            title=None,
            scale=alt.Scale(domain=[_OWN, _CHANCE], range=[FIRST, QUIET]),
            legend=alt.Legend(orient="top", symbolType="square"),
        ),
        "tooltip": [
            alt.Tooltip("of:N", title="of"),
            alt.Tooltip("axis:O", title="axis"),
            alt.Tooltip("share:Q", title="share of the variance", format=".1%"),
        ],
    }
    return alt.layer(
        of_rows(own).mark_bar(width={"band": 0.7}).encode(**encoded),
        of_rows(chance)
        .mark_line(point={"size": 34, "filled": True}, strokeDash=[4, 3])
        .encode(**encoded),
    ).properties(
        width=_WIDTH,
        height=_HEIGHT,
        title=alt.TitleParams(
            shortened(row["estimator"], 44), fontSize=12, fontWeight="normal", anchor="middle"
        ),
    )


def _plain() -> Any:
    import altair as alt

    return alt.Axis(labelAngle=0, grid=False)


def _told(row: Record) -> str:
    first, second = row["explained"][:2]
    text = (
        f"{shown(row['estimator'])}: the first axis holds {_percent(first)} of the variance, the "
    )
    text += f"second {_percent(second)}"
    chance = row.get("chance") or ()
    return f"{text}; random words {_percent(chance[0])} on the first." if chance else f"{text}."


def _percent(share: float) -> str:
    return f"{number(100 * share, 0)} %"
