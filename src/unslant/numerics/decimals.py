"""Convert columns of decimal text to numbers without a Python loop.

``float()`` on 120 million fields costs minutes. Here the last eight bytes of every field are
taken as one 64-bit word, and all fields of a block are converted together by integer arithmetic
on those words. The result is the correctly rounded double: the digits form an integer below 2**53
and are divided once by an exact power of ten (W. D. Clinger, PLDI 1990, the fast case).
Fields of another shape (exponents, several digits before the point) are left to the caller.
"""

import re

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
