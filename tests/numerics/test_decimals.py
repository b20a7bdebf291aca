"""Decimal text must become the very double that ``float()`` gives, or be left to it."""

import math
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unslant.numerics.decimals import DECIMAL, PADDING, decimal, plain_decimals


def parsed(fields: list[bytes]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The fields as a line of a file would present them; each must contain a point."""
    buffer = np.frombuffer(b"\n" * PADDING + b" ".join(fields) + b"\n", dtype=np.uint8)
    ends = PADDING + np.cumsum([len(field) + 1 for field in fields]) - 1
    starts = ends - np.array([len(field) for field in fields])
    points = starts + np.array([field.index(b".") for field in fields])
    return plain_decimals(buffer, starts, points, ends)


def expect_as_float(fields: list[bytes]) -> NDArray[np.bool_]:
    values, is_plain = parsed(fields)
    expected = np.array(
        [float(field) for field, plain in zip(fields, is_plain, strict=True) if plain]
    )
    assert values[is_plain].tobytes() == expected.tobytes()
    return is_plain


plain_fields = st.from_regex(rb"\A-?[0-9]\.[0-9]{0,15}\Z")


@settings(max_examples=300, deadline=None)
@given(st.lists(plain_fields, min_size=1, max_size=20))
def test_plain_numbers_are_the_doubles_that_float_gives(fields: list[bytes]) -> None:
    is_plain = expect_as_float(fields)
    for field, plain in zip(fields, is_plain, strict=True):
        assert plain or int(field.replace(b"-", b"").replace(b".", b"")) >= 2**53


@pytest.mark.parametrize("digits", range(16))
def test_every_length_agrees_with_float_on_random_digits(digits: int) -> None:
    draw = random.Random(digits)
    fields = [
        b"%s%d.%s"
        % (
            draw.choice([b"", b"-"]),
            draw.randrange(10),
            (b"%0*d" % (digits, draw.randrange(10**digits))) if digits else b"",
        )
        for _ in range(20_000)
    ]
    is_plain = expect_as_float(fields)
    assert is_plain.all() if digits <= 14 else is_plain.mean() > 0.8


@pytest.mark.parametrize(
    "field",
    [
        b"0.0", b"-0.0", b"0.", b"-9.", b"9.999999999999999", b"0.000000000000001",
        b"9.007199254740991", b"9.007199254740992", b"9.007199254740993", b"0.99999999",
        b"0.999999999", b"1.00000000", b"1.000000000", b"5.00000001", b"0.12345678",
        b"0.123456789", b"-0.1234567", b"3.0000000000000",
    ],
)  # fmt: skip
def test_boundaries_agree_with_float(field: bytes) -> None:
    expect_as_float([field])


def test_a_mantissa_beyond_two_to_the_53_is_left_to_float() -> None:
    _, is_plain = parsed([b"9.007199254740991", b"9.007199254740992"])
    assert is_plain.tolist() == [True, False]


def test_minus_zero_keeps_its_sign() -> None:
    values, is_plain = parsed([b"-0.000", b"0.000"])
    assert is_plain.all()
    assert [math.copysign(1, value) for value in values] == [-1, 1]


@pytest.mark.parametrize(
    "field",
    [
        b"12.5", b".5", b"-.5", b"+1.5", b"1.5e3", b"1.5x", b"1.x5", b"x.5", b"--1.5", b"1.-5",
        b"1.1234567890123456", b"1.:", b"1./5", b"1.5\xff", b"\xff.5", b"1.\x005", b"-a.5",
    ],
)  # fmt: skip
def test_any_other_shape_is_left_to_the_caller(field: bytes) -> None:
    _, is_plain = parsed([b"1.5", field, b"2.5"])
    assert is_plain.tolist() == [True, False, True]


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=12).filter(lambda piece: b"." not in piece), st.binary(max_size=18))
def test_no_bytes_are_taken_for_a_number_that_float_would_not_read(
    before: bytes, after: bytes
) -> None:
    field = before + b"." + after
    values, is_plain = parsed([field])
    if is_plain[0]:
        assert DECIMAL.match(field)
        assert values[0] == float(field)


@settings(max_examples=500, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_full_grammar_reads_whatever_python_prints(value: float) -> None:
    assert decimal(repr(value).encode()) == value


@pytest.mark.parametrize(
    "field",
    [b"", b".", b"-", b"+", b"e5", b"1e", b"1e+", b"nan", b"inf", b"-Infinity", b"0x1p3", b"1_0",
     b"1,5", b" 1", b"1 ", b"1\n", b"\xd9\xa1", b"1.2.3", b"--1", b"1d5"],
)  # fmt: skip
def test_the_full_grammar_is_stricter_than_float(field: bytes) -> None:
    assert decimal(field) is None


@pytest.mark.parametrize(
    "field", [b"1", b"1.", b".5", b"+1.5", b"1E5", b"1e-400", b"00.10", b"1" * 400]
)
def test_the_full_grammar_reads_every_usual_way_to_write_a_number(field: bytes) -> None:
    assert decimal(field) == float(field)


@pytest.mark.parametrize("end", [b"x", b".x", b".5.", b"e", b"e+"])
def test_a_long_run_of_digits_that_ends_badly_is_refused_in_linear_time(end: bytes) -> None:
    begun = time.perf_counter()
    assert decimal(b"1" * 300_000 + end) is None
    assert time.perf_counter() - begun < 1
