"""Verdicts on spaces whose bias is known."""

import csv
from functools import partial

import pytest

from experiments.planted_spaces import association, recovery
from experiments.verdicts import ACCURACIES, EFFECTS, ENOUGH, ORDER, RESULTS, counted

SEEDS = 10


@pytest.mark.parametrize("level", ORDER)
def test_recovery_gets_the_word_of_the_planted_level(level: str) -> None:
    found = counted(partial(recovery, accuracy=ACCURACIES[level]), level, SEEDS)
    assert found["right"] >= SEEDS - 1
    assert found["too strong"] <= 1


@pytest.mark.parametrize("level", ["undecided", "weak", "strong"])
def test_an_association_gets_the_word_of_the_planted_level(level: str) -> None:
    maker = partial(association, effect=EFFECTS[level], size=ENOUGH[level])
    found = counted(maker, level, SEEDS // 2)
    assert found["right"] >= SEEDS // 2 - 1


@pytest.mark.parametrize("level", ORDER)
def test_small_sets_make_verdicts_weaker_and_not_stronger(level: str) -> None:
    found = counted(partial(association, effect=EFFECTS[level], size=16), level, SEEDS)
    assert found["too strong"] <= 1


def test_the_committed_table_has_every_level_and_keeps_the_bars() -> None:
    with RESULTS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    large = [
        row
        for row in rows
        if row["measure"] == "recoverability" or int(row["words"]) == ENOUGH[row["level"]]
    ]
    assert [row["level"] for row in large] == [*ORDER, *ORDER]
    for row in large:
        assert int(row["seeds"]) == 100
        assert int(row["right"]) >= (93 if row["level"] == "undecided" else 95)
    # Of 100 seeds with an error of 5 % each, 13 or more are wrong once in a thousand times.
    assert all(int(row["too strong"]) <= 12 for row in rows)
