"""How good the numbers of a column are as a reader sees them: what prints alike is alike.

A record keeps all digits, and the best by the last of them would be set off from a neighbour with
the same printed number.
"""

from collections.abc import Sequence

from unslant.core.better import better_side
from unslant.core.study_record import TableCell

_DIGITS = 12  # 0.51 − 0.5 and 0.5 − 0.49 are equal up to the rounding of binary numbers


def gaps_as_printed(cells: Sequence[TableCell], better: str, digits: int) -> list[float | None]:
    """How bad each rounded value is; None if it has no value or does not compare."""
    side = better_side(better)
    return [
        None
        if side is None or cell.value is None or cell.other_words
        else round(side.gap(round(cell.value, digits)), _DIGITS)
        for cell in cells
    ]


def best_as_printed(cells: Sequence[TableCell], better: str, digits: int) -> list[bool]:
    """Which cells are best; none are if all that compare print alike."""
    gaps = gaps_as_printed(cells, better, digits)
    known = {gap for gap in gaps if gap is not None}
    return [len(known) > 1 and gap == min(known) for gap in gaps]
