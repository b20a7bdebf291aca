"""Work on blocks: nothing left out, nothing out of order, nothing piled up."""

import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.numerics.chunks import ordered_parallel, row_blocks


@given(st.integers(0, 10_000), st.integers(0, 5000), st.integers(1, 100_000))
def test_blocks_cover_all_rows_once(rows: int, row_bytes: int, block_bytes: int) -> None:
    blocks = list(row_blocks(rows, row_bytes, block_bytes))
    assert [row for block in blocks for row in range(block.start, block.stop)] == list(range(rows))
    one_row = max(1, row_bytes)
    assert all((b.stop - b.start) * one_row <= max(block_bytes, one_row) for b in blocks)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_order_of_the_items_is_kept(threads: int) -> None:
    def slow_at_first(item: int) -> int:
        time.sleep(0.02 if item == 0 else 0)
        return item * item

    found = list(ordered_parallel(slow_at_first, range(50), threads))
    assert found == [item * item for item in range(50)]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_the_work_reaches_the_caller_after_the_items_before_it(threads: int) -> None:
    def work(item: int) -> int:
        if item == 7:
            raise ZeroDivisionError("seven")
        return item

    done: list[int] = []
    with pytest.raises(ZeroDivisionError, match="seven"):
        for result in ordered_parallel(work, range(20), threads):
            done.append(result)
    assert done == list(range(7))


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_the_items_reaches_the_caller(threads: int) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(ordered_parallel(lambda item: item, items(), threads))


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_only_a_few_items_are_taken_ahead_of_the_caller(threads: int) -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for item in range(1000):
            taken += 1
            yield item

    for done, _ in enumerate(ordered_parallel(lambda item: item, items(), threads), start=1):
        assert taken - done <= threads + 2


def test_a_caller_that_stops_early_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    results = ordered_parallel(lambda item: item, iter(range(1000)), 3)
    assert next(results) == 0
    assert isinstance(results, Iterator)
    results.close()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("said", "is_here"), [("1", True), ("0", True), ("3", False), ("x", False)]
)
def test_the_environment_may_ask_for_fewer_threads(
    said: str, is_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_THREADS", said)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    here = threading.get_ident()
    found = list(ordered_parallel(lambda item: (item, threading.get_ident()), range(20)))
    assert [item for item, _ in found] == list(range(20))
    assert all((thread == here) == is_here for _, thread in found)
