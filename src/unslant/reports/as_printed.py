"""How the numbers of a study's column are printed, and which of them are best.

Tables and heat maps both take digits and the best from here, so that they set off the same cells.
What prints alike is alike: a record keeps all digits, and the best by the last of them would be set
off from a neighbour with the same printed number.
"""

import math
from collections.abc import Iterable, Sequence

from unslant.core.score import better_side
from unslant.core.study_record import TableCell

_DIGITS = 12  # 0.51 − 0.5 and 0.5 − 0.49 are equal up to the rounding of binary numbers


def digits_for(values: Iterable[float]) -> int:
    """How many digits after the point show three of the largest value's, at most four.

    >>> digits_for([1.7178, 0.5]), digits_for([0.0928]), digits_for([312.0])
    (2, 4, 0)
    """
    largest = max((abs(value) for value in values), default=0.0)
    return min(max(2 - math.floor(math.log10(largest)), 0), 4) if largest else 2


def digits_of(cells: Iterable[TableCell]) -> int:
    """How many digits after the point the cells of one column are printed with."""
    return digits_for(cell.value for cell in cells if cell.value is not None)


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
