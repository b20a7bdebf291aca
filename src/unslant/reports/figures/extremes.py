"""The words that lean furthest to either side, before and after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unslant.reports.figures.figure import Figure
from unslant.reports.figures.panels import Record, warning
from unslant.reports.figures.rowplot import Entry, RowPlot
from unslant.reports.figures.rows import of_rows
from unslant.reports.figures.theme import FIRST, QUIET, SECOND
from unslant.reports.figures.values import capital, rounded, shortened, shown, slug
from unslant.reports.words import baseline_of, leans, number
from unslant.reports.words import extremes as furthest

_A_SIDE = 12
_BEFORE = {"fill": None, "stroke": QUIET, "strokeWidth": 1.5}
_TITLES = {"before": "before", "after": "after"}

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Lean:
    """What one list of words gave, now and before."""

    item: Record
    before: Record | None

    @property
    def chosen(self) -> Record:
        """The measurement that says which words lean furthest."""
        return self.before if self.before and self.before["points"] else self.item

    @property
    def values(self) -> dict[str, Mapping[str, float]]:
        """The projections by word, of each measurement that has any."""
        parts = {"before": self.before, "after": self.item}
        return {
            key: {point["word"]: point["projection"] for point in part["points"]}
            for key, part in parts.items()
            if part and part["points"]
        }

    @property
    def sides(self) -> tuple[str, str]:
        """What the ends of the direction are called."""
        details = self.chosen["details"]
        if "positive side" not in details:
            return "one end of the direction", "the other end"
        first, second = (shortened(details[f"{end} side"]) for end in ("positive", "negative"))
        return f"towards {first}", f"towards {second}"


def extremes(record: Record) -> tuple[Figure, ...]:
    """One figure for each list of neutral words in which any word leans."""
    found = [_Lean(item, baseline_of(record, item)) for item in leans(record)]
    return tuple(_figure(record, lean) for lean in found if any(furthest(lean.chosen, 1)))


def _figure(record: Record, lean: _Lean) -> Figure:
    name = shown(lean.item["parameters"].get("neutral") or lean.item["words"][0]["set"])
    rows, concept = _rows(lean), shortened(record["concept"]["name"])
    return Figure(
        name=f"extremes-{slug(name)}",
        title=f"{capital(shortened(name))}: furthest along the {concept} direction"
        + (" before" if "before" in lean.values else ""),
        caption=_caption(lean),
        description=_told(rows, lean.sides),
        chart=_chart(rows, lean),
    )


def _rows(lean: _Lean) -> list[Row]:
    """A row for each word, below a row with the name of its side."""
    rows: list[Row] = []
    for side, points in zip(lean.sides, furthest(lean.chosen, _A_SIDE), strict=True):
        if points:
            rows.append({"row": len(rows), "text": side})
        for point in points:
            word = point["word"]
            found = {key: part[word] for key, part in lean.values.items() if word in part}
            row = {"row": len(rows), "text": shortened(word, 22), "word": shown(word), "side": side}
            rows.append(row | {key: rounded(value) for key, value in found.items()})
    return rows


def _chart(rows: Sequence[Row], lean: _Lean) -> Any:
    import altair as alt

    words, keys = [row for row in rows if "word" in row], list(lean.values)
    plot = RowPlot(len(rows), 20, 180, 628)
    values = [row[key] for row in words for key in keys if key in row]
    x = plot.x(values, "projection on the direction")
    sides = alt.Scale(domain=list(lean.sides), range=[FIRST, SECOND])
    alone = {"after": "projection"} if keys == ["after"] else {}
    tips = [alt.Tooltip("word:N", title="word")] + [
        alt.Tooltip(f"{key}:Q", title=(_TITLES | alone)[key], format="+.3f") for key in keys
    ]

    def of(key: str) -> Any:
        return of_rows([{**row, "x": row[key]} for row in words if key in row])

    layers = [plot.zero(x)]
    common = {"x": x, "y": plot.y(), "tooltip": tips}
    if "after" in keys:
        colour = alt.Color("side:N", scale=sides, legend=None)
        solid = of("after").mark_bar(height={"band": 0.6}, minBandSize=1)
        layers.append(solid.encode(**common, x2=alt.datum(0), color=colour))
    if "before" in keys:
        hollow = of("before").mark_bar(height={"band": 0.8}, **_BEFORE)
        layers.append(hollow.encode(**common, x2=alt.datum(0)))
    heads = [row for row in rows if "word" not in row]
    layers += plot.texts(_texts(heads), plot.left - 8, "right", fontWeight="bold")
    layers += plot.texts(_texts(words), plot.left - 8, "right")
    return plot.below(plot.key(_key(keys)), *layers)


def _texts(rows: Sequence[Row]) -> dict[int, list[str]]:
    return {row["row"]: [row["text"]] for row in rows}


def _key(keys: Sequence[str]) -> list[Entry]:
    signs: dict[str, Mapping[str, Any]] = {
        "before": _BEFORE,
        "after": {"fills": [FIRST, SECOND]},
    }
    return [(signs[key], _TITLES[key]) for key in keys] if len(keys) > 1 else []


def _caption(lean: _Lean) -> str:
    direction = shown(lean.chosen["details"]["direction"])
    text = (
        f"Bars are projections of vectors of length 1 on {direction}: the further from 0, the more "
        f"a word leans. Only the {_A_SIDE} words furthest to each side are shown."
    )
    keys = lean.values
    if "before" in keys:
        text += " They are chosen by where they were before."
        text += " Both are measured along the direction of before."
    axes = lean.chosen["details"].get("axes", 1)
    if axes > 1:
        text += f" The bars show the first of {axes} axes; the measure counts all of them."
    return text + warning(lean.item, lean.before)


def _told(rows: Sequence[Row], sides: Sequence[str]) -> str:
    parts = []
    for side in sides:
        words = [row for row in rows if row.get("side") == side][:3]
        if words:
            named = ", ".join(f"{row['word']} ({_values(row)})" for row in words)
            parts.append(f"Furthest {side}: {named}.")
    return " ".join(parts)


def _values(row: Row) -> str:
    before, after = (number(row[key], 2) if key in row else "" for key in ("before", "after"))
    return f"{before}, then {after}" if before and after else before or after
