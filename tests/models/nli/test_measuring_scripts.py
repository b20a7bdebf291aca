"""What the benchmarks and the experiments of inference models stand on."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from benchmarks.harness import Contender, measure
from experiments import nli_tables
from experiments.nli import ROWS, Row

TABLES = (
    nli_tables.neutrality,
    nli_tables.examples,
    nli_tables.projection,
    nli_tables.others,
    nli_tables.accuracy,
    nli_tables.marked,
    nli_tables.carriers,
    nli_tables.methods,
    nli_tables.retention,
    nli_tables.as_csv,
)


def a_long_answer(length: int) -> Callable[[], str]:
    return lambda: "x" * length


def test_an_answer_longer_than_any_pipe_is_measured() -> None:
    [found] = measure(Contender(a_long_answer, 1_000_000))
    assert found.answer == "x" * 1_000_000
    assert found.seconds[0] < 60


class Figures(dict[str, Any]):
    """Figures of everything that is asked for."""

    def __missing__(self, key: str) -> Any:
        if key == "examples":
            return []
        if key in ("value", "low", "high", "dev_accuracy") or "-of-" in key:
            return 0.5
        return Figures()

    def get(self, key: str, default: Any = None) -> Any:
        return self[key]


KEY = (Row(), Row("linear"), Row("random(seed=0)"), Row("random(seed=1)"), Row(seed=1))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_tables_are_made_of_whatever_rows_are_done(table: Callable[..., str]) -> None:
    assert set(KEY) <= set(ROWS)
    for count in range(len(KEY) + 1):
        for rows in combinations(KEY, count):
            made = table({row: Figures() for row in rows})
            assert made
            assert "nan" not in made


def test_ours_stand_beside_published_only_when_they_are_done() -> None:
    some = {Row(): Figures(), Row("linear"): Figures()}
    assert "he–she, ours" in nli_tables.projection(some)
    assert "random, ours" not in nli_tables.projection(some)
    assert "he–she, ours" not in nli_tables.projection({Row(): Figures()})
    assert "religion, ours" in nli_tables.others(some)
    assert "religion projected, ours" not in nli_tables.others(some)
