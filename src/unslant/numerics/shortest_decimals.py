"""Write float32 numbers as the shortest decimals that read back to the same bits, all at once.

numpy prints one number in a microsecond; 660 million take eleven minutes. Here a number is scaled
to an integer of 6, 7, 8 or 9 digits, the fewest that read back, and its digits come from a table of
four at a time. Every candidate is divided back as a reader would do it and compared with the
original, so the result does not depend on the rounding of the scaling. Each number gets a cell of
16 bytes: a space, the sign, one digit, the point, twelve digits; a mask then drops what is not
needed. Numbers that do not fit (from 10 on, or nearer to 0 than 0.0001) are printed by numpy.
"""

import numpy as np
from numpy.typing import NDArray

_CELL = 16
_PLACES = 12
_POWERS = np.array([10.0**places for places in range(_PLACES + 1)])
_INTEGER_POWERS = 10 ** np.arange(_PLACES + 1, dtype=np.int64)
_FOUR_DIGITS = np.frombuffer(b"".join(b"%04d" % n for n in range(10_000)), dtype=np.uint32)
_ENDING_ZEROS = np.array(
    [4 if n == 0 else len(f"{n:04d}") - len(f"{n:04d}".rstrip("0")) for n in range(10_000)]
)
_STARTS = np.frombuffer(b"".join(b" -%d." % n for n in range(10)), dtype=np.uint32)


def _kept() -> NDArray[np.bool_]:
    """Which bytes of a cell are kept, by the digits behind the point and then by the sign."""
    table = np.zeros((_PLACES + 1, 2, _CELL), dtype=np.bool_)
    for places in range(_PLACES + 1):
        table[places, :, [0, 2, 3]] = True
        table[places, :, 4 : 4 + places] = True
    table[:, 1, 1] = True
    return table.reshape(-1, _CELL)


# As one number of 16 bytes each, which numpy looks up ten times faster than 16 numbers.
_KEPT = _kept().view(np.complex128).reshape(-1)
_LENGTHS = np.count_nonzero(_kept(), axis=1)


def shortest_decimals(
    matrix: NDArray[np.float32],
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The text of all rows, each number behind a space, and how many bytes each row has.

    >>> text, lengths = shortest_decimals(np.array([[0.1, -2.0], [1e-9, 12.5]], np.float32))
    >>> text.tobytes(), lengths.tolist()
    (b' 0.1 -2.0 1e-09 12.5', [9, 11])
    """
    numbers = matrix.reshape(-1)
    scaled, is_plain = _scaled(np.abs(numbers).astype(np.float64))
    # Divided by constants, which numpy turns into multiplications; its divmod does not.
    upper = scaled // 10**4
    third = scaled - upper * 10**4
    higher = upper // 10**4
    second = upper - higher * 10**4
    whole = higher // 10**4
    first = higher - whole * 10**4
    cells = np.empty((len(numbers), 4), dtype=np.uint32)
    cells[:, 0] = _STARTS[whole]
    cells[:, 1] = _FOUR_DIGITS[first]
    cells[:, 2] = _FOUR_DIGITS[second]
    cells[:, 3] = _FOUR_DIGITS[third]
    zeros = _ENDING_ZEROS[third]
    empty = np.flatnonzero(third == 0)
    zeros[empty] += _ENDING_ZEROS[second[empty]]
    empty = empty[second[empty] == 0]
    zeros[empty] += _ENDING_ZEROS[first[empty]]
    form = 2 * np.maximum(1, _PLACES - zeros) + np.signbit(numbers)
    kept, lengths = _KEPT[form].view(np.bool_).reshape(-1, _CELL), _LENGTHS[form]
    text = cells.view(np.uint8)
    _print_others(numbers, np.flatnonzero(~is_plain), text, kept, lengths)
    return text.reshape(-1)[kept.reshape(-1)], lengths.reshape(matrix.shape).sum(axis=1)


def _scaled(sizes: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The numbers times 10**12, in the fewest digits that read back, and where there are such."""
    is_in_range = ((sizes >= 1e-4) & (sizes < 10)) | (sizes == 0)
    sizes = np.where(is_in_range, sizes, 0)
    # How many places behind the point nine digits have.
    places = np.full(len(sizes), 8, dtype=np.int64)
    for bound in (1, 0.1, 0.01, 0.001):
        places += sizes < bound
    power: NDArray[np.float64] = _POWERS[places]
    factor: NDArray[np.int64] = _INTEGER_POWERS[_PLACES - places]
    scaled, reads_back = _rounded(sizes, power, factor)
    is_plain = is_in_range & reads_back
    for _ in range(3):  # eight, seven and six digits
        power, factor = power / 10.0, factor * 10
        fewer, is_same = _rounded(sizes, power, factor)
        reads_back &= is_same
        np.copyto(scaled, fewer, where=reads_back)
    return scaled, is_plain


def _rounded(
    sizes: NDArray[np.float64], power: NDArray[np.float64], factor: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The numbers rounded to some places, times 10**12, and which of them read back."""
    digits = np.rint(sizes * power)
    read = digits / power
    # None of all floats in range gives a double halfway between two floats, so readers that
    # round once and those that round twice agree.
    return digits.astype(np.int64) * factor, read.astype(np.float32) == sizes


def _print_others(
    numbers: NDArray[np.float32],
    others: NDArray[np.int64],
    text: NDArray[np.uint8],
    kept: NDArray[np.bool_],
    lengths: NDArray[np.int64],
) -> None:
    """Fill the cells of numbers that numpy has to print."""
    for cell, printed in zip(
        others.tolist(), numbers[others].astype(np.str_).tolist(), strict=True
    ):
        if len(printed) >= _CELL:  # such as 1234567900000000.0
            printed = np.format_float_scientific(numbers[cell], unique=True, trim="-")
        shown = f" {printed}".encode()
        text[cell, : len(shown)] = np.frombuffer(shown, dtype=np.uint8)
        kept[cell] = np.arange(_CELL) < len(shown)
        lengths[cell] = len(shown)
