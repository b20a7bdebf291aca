"""Packed byte strings must behave like a list of byte strings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.numerics.decimals import Ragged, sliced

strings = st.lists(st.binary(max_size=12), max_size=12)


def unpacked(pack: Ragged) -> list[bytes]:
    return [pack[row] for row in range(len(pack))]


def fnv1a(string: bytes) -> int:
    state = 0xCBF29CE484222325
    for byte in string:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return state


@pytest.mark.parametrize(
    ("string", "published"),
    [  # the test vectors of the FNV authors, isthe.com/chongo/src/fnv/test_fnv.c
        (b"", 0xCBF29CE484222325),
        (b"a", 0xAF63DC4C8601EC8C),
        (b"foobar", 0x85944171F73967E8),
    ],
)
def test_a_hash_is_the_published_one(string: bytes, published: int) -> None:
    assert int(Ragged.of([string]).hashes()[0]) == published


@given(strings)
def test_hashes_are_those_of_a_plain_loop(items: list[bytes]) -> None:
    assert Ragged.of(items).hashes().tolist() == [fnv1a(item) for item in items]


@given(strings)
def test_what_was_packed_comes_out_again(items: list[bytes]) -> None:
    pack = Ragged.of(items)
    assert unpacked(pack) == items
    assert pack.lengths.tolist() == [len(item) for item in items]
    assert [pack.blob[start:].tobytes() for start in pack.starts] == [
        b"".join(items[row:]) for row in range(len(items))
    ]


@given(strings, st.data())
def test_taking_rows_is_indexing(items: list[bytes], data: st.DataObject) -> None:
    row = st.integers(0, len(items) - 1)
    rows = data.draw(st.lists(row, max_size=20)) if items else []
    taken = Ragged.of(items).take(np.array(rows, dtype=np.int64))
    assert unpacked(taken) == [items[number] for number in rows]


@given(st.lists(strings, max_size=5))
def test_joining_packs_is_joining_lists(parts: list[list[bytes]]) -> None:
    joined = Ragged.joined([Ragged.of(part) for part in parts])
    assert unpacked(joined) == [item for part in parts for item in part]


@given(st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=3)), max_size=30))
def test_equality_is_that_of_each_pair(pairs: list[tuple[bytes, bytes]]) -> None:
    left, right = Ragged.of([a for a, _ in pairs]), Ragged.of([b for _, b in pairs])
    assert left.equals(right).tolist() == [a == b for a, b in pairs]
    assert left.equals(left).all()


@settings(max_examples=50)
@given(st.binary(min_size=1, max_size=50), st.data())
def test_slices_of_a_buffer_are_packed_in_order(buffer: bytes, data: st.DataObject) -> None:
    spans = data.draw(
        st.lists(st.tuples(st.integers(0, len(buffer)), st.integers(0, len(buffer))), max_size=8)
    )
    starts = np.array([min(span) for span in spans], dtype=np.int64)
    lengths = np.array([abs(a - b) for a, b in spans], dtype=np.int64)
    pack = sliced(np.frombuffer(buffer, dtype=np.uint8), starts, lengths)
    assert unpacked(pack) == [buffer[min(span) : max(span)] for span in spans]
