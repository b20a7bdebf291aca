"""Freed memory goes back to the system in training, or the process would grow for hours."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.models.training.test_trainer import HOW, Line
from unslant.models.training import trainer

BLOCK = 100_000
"""Bytes of a block that the C library does not map by itself."""


def _anonymous() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon:"))


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or trainer._trim() is None,
    reason="the C library cannot give memory back",
)
def test_blocks_freed_between_others_that_are_kept_go_back_to_the_system() -> None:
    blocks = [np.ones(BLOCK, np.uint8) for _ in range(1_000)]
    full = _anonymous()
    kept = blocks[::5]
    del blocks
    trainer.release_memory()
    freed = full - _anonymous()
    assert freed > 0.5 * 800 * BLOCK
    assert all(block.all() for block in kept)


def test_without_such_a_library_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "_trim", lambda: None)
    trainer.release_memory()


@pytest.mark.parametrize(("pause", "in_a_round"), [(1e9, 0), (0.0, Line().steps_in_round)])
def test_training_gives_memory_back_after_slow_steps_and_every_round(
    monkeypatch: pytest.MonkeyPatch, pause: float, in_a_round: int
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(trainer, "release_memory", lambda: calls.append(1))
    monkeypatch.setattr(trainer, "_SECONDS_TO_GIVE_BACK", pause)
    trainer.train(Line(), HOW)
    assert len(calls) == HOW.rounds * (in_a_round + 1)
