"""Convert columns of decimal text to numbers without a Python loop.

``float()`` on 120 million fields costs minutes. Here the last eight bytes of every field are
taken as one 64-bit word, and all fields of a block are converted together by integer arithmetic
on those words. The result is the correctly rounded double: the digits form an integer below 2**53
and are divided once by an exact power of ten (W. D. Clinger, PLDI 1990, the fast case).
Fields of another shape (exponents, several digits before the point) are left to the caller.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PADDING = 16
"""How many bytes the buffer must have before the first field."""

DECIMAL = re.compile(rb"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\Z")
"""The full grammar of a finite decimal number; stricter than ``float()``.

There is one way to match a run of digits, so a long one that ends badly is refused in linear time.
"""

_U = np.uint64
_ZEROS = _U(0x3030303030303030)
_ONES = _U(0xFFFFFFFFFFFFFFFF)
_MOST_DIGITS = 15
_POWERS = 10.0 ** np.arange(_MOST_DIGITS + 1)
_INTEGER_POWERS = 10 ** np.arange(_MOST_DIGITS + 1, dtype=np.int64)


def plain_decimals(
    buffer: NDArray[np.uint8],
    starts: NDArray[np.int64],
    points: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The values of fields that look like ``0.418`` or ``-1.25``, and which fields those are.

    ``starts``, ``points`` and ``ends`` are the positions of each field's first byte, of its
    decimal point and of the byte after it. Where the second result is False, the first is
    meaningless.
    """
    digits_after = ends - points - 1
    is_plain = digits_after <= _MOST_DIGITS
    if not is_plain.all():
        digits_after = np.where(is_plain, digits_after, 0)
    words: NDArray[np.uint64] = np.ndarray(
        (len(buffer) - 7,), dtype="<u8", buffer=buffer.data, strides=(1,)
    )
    mantissa, are_digits = _eight_digits(words, ends, digits_after)
    is_plain &= are_digits
    if digits_after.max(initial=0) > 8:
        higher, are_digits = _eight_digits(words, ends - 8, np.maximum(digits_after - 8, 0))
        mantissa += higher * 100_000_000
        is_plain &= are_digits
    is_negative = buffer[starts] == ord("-")
    before_point = buffer[points - 1] - np.uint8(ord("0"))
    is_plain &= (points - starts - is_negative == 1) & (before_point <= 9)
    mantissa += before_point * _INTEGER_POWERS[digits_after]
    is_plain &= mantissa < 2**53
    values = mantissa / _POWERS[digits_after]
    values *= 1 - 2 * is_negative.view(np.int8)
    return values, is_plain


def decimal(field: bytes) -> float | None:
    """The value of one field by the full grammar, or None if it is not a decimal number."""
    return float(field) if DECIMAL.match(field) else None


def _eight_digits(
    words: NDArray[np.uint64], ends: NDArray[np.int64], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The integer written by the last ``count`` (at most 8) bytes before each end."""
    word = words[ends - 8]
    kept = _ONES << ((8 - np.minimum(count, 8)) << 3).astype(np.uint64)
    word = (word & kept) | (_ZEROS & ~kept)
    digits = word - _ZEROS
    are_digits = ((word + _U(0x4646464646464646)) | digits) & _U(0x8080808080808080) == 0
    pairs = digits * _U(10) + (digits >> _U(8))
    low = (pairs & _U(0x000000FF000000FF)) * _U(0x000F424000000064)
    high = ((pairs >> _U(16)) & _U(0x000000FF000000FF)) * _U(0x0000271000000001)
    return ((low + high) >> _U(32)).astype(np.int64), are_digits


# Many byte strings as one blob with an array of end positions.
#
# A vocabulary of a million words as Python strings costs 100 MB and a second; a blob can be
# mapped from a file immediately.

_OFFSET = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)


@dataclass(frozen=True, eq=False)
class Ragged:
    """Concatenated byte strings; string ``i`` is ``blob[ends[i - 1]:ends[i]]``."""

    blob: NDArray[np.uint8]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> "Ragged":
        """Pack a sequence of byte strings."""
        lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings))
        return cls(np.frombuffer(b"".join(strings), dtype=np.uint8), np.cumsum(lengths))

    @classmethod
    def joined(cls, parts: Sequence["Ragged"]) -> "Ragged":
        """Several packs as one."""
        if not parts:
            return cls.of([])
        shifts = np.cumsum([0] + [len(part.blob) for part in parts[:-1]])
        return cls(
            np.concatenate([part.blob for part in parts]),
            np.concatenate([part.ends + shift for part, shift in zip(parts, shifts, strict=True)]),
        )

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> bytes:
        start = int(self.ends[row - 1]) if row > 0 else 0
        return self.blob[start : int(self.ends[row])].tobytes()

    @property
    def starts(self) -> NDArray[np.int64]:
        """The start of each string."""
        return np.concatenate([np.zeros(1, np.int64), self.ends[:-1]]) if len(self) else self.ends

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many bytes each string has."""
        return np.diff(self.ends, prepend=0)

    def take(self, rows: NDArray[np.int64]) -> "Ragged":
        """The strings of the given rows, in that order."""
        starts = np.where(rows > 0, self.ends[rows - 1], 0)
        return sliced(self.blob, starts, self.ends[rows] - starts)

    def equals(self, other: "Ragged") -> NDArray[np.bool_]:
        """For each position, whether both packs contain the same string."""
        same = np.asarray(self.lengths == other.lengths)
        places = np.flatnonzero(same)
        mine, theirs = self.take(places), other.take(places)
        differences = np.concatenate([[0], np.cumsum(mine.blob != theirs.blob)])
        same[places] = differences[mine.ends] == differences[mine.starts]
        return same

    def hashes(self) -> NDArray[np.uint64]:
        """The FNV-1a hash of every string, one byte position of all strings at a time."""
        starts, lengths = self.starts, self.lengths
        order = np.argsort(-lengths, kind="stable")
        starts, lengths = starts[order], lengths[order]
        state = np.full(len(self), _OFFSET)
        alive = len(self)
        for position in range(int(lengths[0]) if alive else 0):
            alive = int(np.searchsorted(-lengths, -position, side="left"))
            column = self.blob[starts[:alive] + position]
            state[:alive] = (state[:alive] ^ column) * _PRIME
        result = np.empty_like(state)
        result[order] = state
        return result


def sliced(
    buffer: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> Ragged:
    """The pieces of a buffer that begin at ``starts``, packed."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    source = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return Ragged(buffer[source], ends)


# Write float32 numbers as the shortest decimals that read back to the same bits, all at once.
#
# numpy prints one number in a microsecond; 660 million take eleven minutes. Here a number is
# scaled to an integer of 6, 7, 8 or 9 digits, the fewest that read back, and its digits come from
# a table of four at a time. Every candidate is divided back as a reader would do it and compared
# with the original, so the result does not depend on the rounding of the scaling. Each number
# gets a cell of 16 bytes: a space, the sign, one digit, the point, twelve digits; a mask then
# drops what is not needed. Numbers that do not fit (from 10 on, or nearer to 0 than 0.0001) are
# printed by numpy.

_CELL = 16
_PLACES = 12
_PLACE_POWERS = np.array([10.0**places for places in range(_PLACES + 1)])
_INTEGER_PLACE_POWERS = 10 ** np.arange(_PLACES + 1, dtype=np.int64)
_FOUR_DIGITS = np.frombuffer(b"".join(b"%04d" % n for n in range(10_000)), dtype=np.uint32)
_ENDING_ZEROS = np.array(
    [4 if n == 0 else len(f"{n:04d}") - len(f"{n:04d}".rstrip("0")) for n in range(10_000)]
)
_STARTS = np.frombuffer(b"".join(b" -%d." % n for n in range(10)), dtype=np.uint32)


def _kept_bytes() -> NDArray[np.bool_]:
    """Which bytes of a cell are kept, by the digits behind the point and then by the sign."""
    table = np.zeros((_PLACES + 1, 2, _CELL), dtype=np.bool_)
    for places in range(_PLACES + 1):
        table[places, :, [0, 2, 3]] = True
        table[places, :, 4 : 4 + places] = True
    table[:, 1, 1] = True
    return table.reshape(-1, _CELL)


# As one number of 16 bytes each, which numpy looks up ten times faster than 16 numbers.
_KEPT = _kept_bytes().view(np.complex128).reshape(-1)
_LENGTHS = np.count_nonzero(_kept_bytes(), axis=1)


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
    power: NDArray[np.float64] = _PLACE_POWERS[places]
    factor: NDArray[np.int64] = _INTEGER_PLACE_POWERS[_PLACES - places]
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
