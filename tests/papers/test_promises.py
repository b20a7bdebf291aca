"""Promises hold, fail, or cannot be checked."""

import sys

import pytest

from experiments.papers import __main__ as command
from experiments.papers.promises import Promise, close, promises_table


def test_numbers_agree_within_a_tolerance_or_the_promise_fails() -> None:
    assert close("a", "b", [(1.0, 1.0004), (2.0, 2.0)], 0.0005).holds is True
    assert close("a", "b", [(1.0, 1.0006)], 0.0005).holds is False
    assert close("a", "b", [], 0.1).holds is None
    assert close("a", "b", [(float("nan"), 1.0)], 0.1).holds is False


def test_the_table_says_which_promise_fails() -> None:
    made = promises_table([Promise("d", "x", "1", True), Promise("d", "y", "2", False)])
    assert made.splitlines()[2:] == ["| d | x | 1 | holds |", "| d | y | 2 | FAILS |"]


@pytest.mark.parametrize(("holds", "status"), [(True, 0), (None, 0), (False, 1)])
def test_a_failed_promise_gives_a_failed_command(
    holds: bool | None, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["papers"])
    monkeypatch.setattr(command, "write_pages", list)
    monkeypatch.setattr(command, "promises", lambda: [Promise("d", "x", "1", holds)])
    assert command.main() == status


def test_absent_vectors_are_named_in_one_sentence(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["papers", str(tmp_path)])
    assert command.main() == 2
    said = capsys.readouterr().err
    assert "no glove.840B.300d.txt" in said
    assert "make papers VECTORS=DIR" in said
