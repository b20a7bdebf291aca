"""Which measures go together over the rows of a study, and how far that is sure."""

from collections.abc import Iterator, Sequence
from statistics import median

from unslant.core.study_record import CorrelatedPair, Correlations, StudyPart
from unslant.core.wording import counted, level, number, probability, span
from unslant.reports.figures.cell_grid import CellGrid, ChartRow
from unslant.reports.figures.figure import Figure
from unslant.reports.figures.theme import QUIET
from unslant.reports.figures.values import FULL, rounded

_SIDES = ("rise together", "one rises as the other falls")

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
_GRID = CellGrid(
    x="first",
    y="second",
    tips=_TIPS,
    bold="clear",
    outlines=[("defined", False, QUIET, [2, 3])],
    width=480,
    narrowest=38,
    widest=58,
    row=27,
    faint=0.75,
)

_NAMES = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ"}
_CLEAR = 0.05
_WEAK = 0.3


def correlations(study: StudyPart) -> tuple[Figure, ...]:
    """A matrix of each coefficient; none where the study has too few rows or measures."""
    found = study.correlations
    if found is None:
        return ()
    is_shared = len(study.plan.resources) < len(found.rows)
    return tuple(_figure(found, kind, is_shared) for kind in _NAMES)


def _figure(found: Correlations, kind: str, is_shared: bool) -> Figure:
    labels, pairs = found.measures, found.of_kind(kind)
    return Figure(
        name=f"correlations-{kind}",
        title=f"{_NAMES[kind]} between measures, over {_over(pairs)}",
        caption=_caption(pairs, found.level, is_shared),
        description=_description(pairs, kind),
        # The lower half of the matrix, without its diagonal.
        chart=_GRID.chart(list(_rows(labels, pairs)), labels[:-1], labels[1:], _SIDES),
    )


def _over(pairs: Sequence[CorrelatedPair]) -> str:
    sizes = sorted({pair.n for pair in pairs})
    return counted(sizes[0], "row") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} rows"


def _is_clear(pair: CorrelatedPair) -> bool:
    return pair.corrected is not None and pair.corrected <= _CLEAR


def _rows(labels: Sequence[str], pairs: Sequence[CorrelatedPair]) -> Iterator[ChartRow]:
    places = {label: place for place, label in enumerate(labels)}
    for pair in pairs:
        above, below = sorted((pair.first, pair.second), key=lambda label: places[label])
        value = pair.value
        weight = 1.0 if _is_clear(pair) else _WEAK
        yield {
            "first": above,
            "second": below,
            "text": "NA" if value is None else number(value, 2),
            "clear": _is_clear(pair),
            "defined": value is not None,
            "side": _SIDES[value is not None and value < 0],
            "strength": rounded(FULL * weight * abs(value or 0.0)),
            "value": number(value),
            "span": "–" if pair.low is None else span(pair.low, pair.high, 2),
            "n": pair.n,
            "p": "–" if pair.p is None else probability(pair.p),
            "corrected": "–" if pair.corrected is None else probability(pair.corrected),
            "note": pair.why_undefined or "–",
        }


def _caption(pairs: Sequence[CorrelatedPair], confidence: float, is_shared: bool) -> str:
    said = [
        "Bold on full colour: p ≤ .05 after Benjamini and Hochberg’s correction for the number of "
        "pairs; all others are pale, because chance may explain them."
    ]
    widths = [pair.width for pair in pairs if pair.width is not None]
    if widths:
        said.append(
            f"With {_over(pairs)} the {level(confidence)} of "
            f"the middle pair covers {50 * median(widths):.0f} % of the room between −1 and 1."
        )
    else:
        said.append(f"With {_over(pairs)} there are no intervals: these numbers say little.")
    if is_shared:
        said.append("Rows of the same vectors are not independent, so even this is too sure.")
    return " ".join(said)


def _description(pairs: Sequence[CorrelatedPair], kind: str) -> str:
    known = [pair for pair in pairs if pair.value is not None]
    clear = sum(map(_is_clear, known))
    said = [
        f"{_NAMES[kind]} of {counted(len(pairs), 'pair')} of measures over {_over(pairs)}; "
        f"{clear} of {len(known)} are clear after correction."
    ]
    if known:
        strongest = max(known, key=lambda pair: abs(pair.value or 0.0))
        ends = span(strongest.low, strongest.high, 2)
        within = "" if strongest.low is None else f" (interval {ends})"
        said.append(
            f"The strongest is {number(strongest.value, 2)}{within} between "
            f"{strongest.first} and {strongest.second}."
        )
    return " ".join(said)
