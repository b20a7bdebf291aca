"""Which row is best by which measure: ranks as dots, the mean of them all as a bar."""

from typing import Any

from unslant.core.study_ranks import RowRanks, row_ranks
from unslant.core.study_record import StudyPart
from unslant.core.wording import counted, number
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import CATEGORIES, QUIET
from unslant.reports.figures.values import rounded, shortened, tooltips

_WIDTH = 420
_ROW = 30
_MOST_FAMILIES = 8
_MOST_ROWS = 30
_SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right")


def ranks(study: StudyPart) -> Figure | None:
    """The rows of a study by their ranks; None if there are not two rows and two ranks."""
    table = study.table
    if table is None or len(table.rows) < 2:
        return None
    found = sorted(
        (row for row in row_ranks(table) if row.mean is not None),
        key=lambda row: (row.mean or 0.0, str(row.key)),
    )[:_MOST_ROWS]
    families = list(dict.fromkeys(family for row in found for family in row.by_family))
    if len(found) < 2 or len(families) < 2:
        return None
    names = _names(found)
    first = f"{names[0]} ({number(found[0].mean, 1)})"
    return Figure(
        name="ranks",
        title="Ranks by measure",
        caption="1 is the best rank. Each mark is a measure, for which the ranks in its tests and "
        "concepts are averaged; the bar is the mean over measures. Only columns in which every row "
        "has a value count. Ranks ignore how far values are apart and how sure they are: see the "
        "intervals before you call one better.",
        description=f"{counted(len(found), 'row')} by {counted(len(families), 'measure')}; the "
        f"best mean rank is that of {first}.",
        chart=_chart(found, names, families[:_MOST_FAMILIES], len(table.rows)),
    )


def _names(rows: list[RowRanks]) -> list[str]:
    places = [at for at in range(len(rows[0].key)) if len({row.key[at] for row in rows}) > 1]
    return [shortened(" ".join(str(row.key[at]) for at in places), 34) for row in rows]


def _chart(rows: list[RowRanks], names: list[str], families: list[str], worst: int) -> Any:
    import altair as alt

    dots = [
        {"row": name, "rank": rounded(row.by_family[family]), "measure": shortened(family, 24)}
        for row, name in zip(rows, names, strict=True)
        for family in families
        if family in row.by_family
    ]
    means = [
        {"row": name, "rank": rounded(row.mean or 0.0), "best": 1.0}
        for row, name in zip(rows, names, strict=True)
    ]
    labels = [shortened(family, 24) for family in families]
    y = alt.Y("row:N", sort=names, title=None)
    x = alt.X("rank:Q", title="rank (← 1 is best; the bar is the mean)").scale(
        domain=[0.75, worst + 0.25], nice=False
    )
    x = x.axis(alt.Axis(values=list(range(1, worst + 1)), format="d"))
    bars = (
        alt.Chart(alt.Data(values=means))
        .mark_bar(color=QUIET, opacity=0.35, height=16)
        .encode(x=x, x2="best:Q", y=y, tooltip=tooltips({"row": "row", "rank": "mean rank"}))
    )
    marks = (
        alt.Chart(alt.Data(values=dots))
        .mark_point(filled=True, size=80, opacity=0.9)
        .encode(
            x=x,
            y=y,
            yOffset=alt.YOffset("measure:N", sort=labels),
            color=alt.Color("measure:N", title=None, sort=labels).scale(
                domain=labels, range=list(CATEGORIES[: len(labels)])
            ),
            shape=alt.Shape("measure:N", sort=labels).scale(
                domain=labels, range=[_SHAPES[n % len(_SHAPES)] for n in range(len(labels))]
            ),
            tooltip=tooltips({"row": "row", "measure": "measure", "rank": "rank"}),
        )
    )
    return alt.layer(bars, marks).properties(width=_WIDTH, height=_ROW * len(names))
