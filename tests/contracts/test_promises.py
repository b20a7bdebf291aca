"""The lists that ``make attack`` works by are in order, and it passes no false verdict."""

import re
from pathlib import Path

import pytest

from attacks.museum import FAULTS, Mutant, judged, museum
from attacks.outcomes import Outcome
from attacks.promises import BROKEN, KEPT, NOT_TRIED, Proof, promises, result, verdict_of

ROOT = Path(__file__).parents[2]
MUTANTS, EXEMPT = museum()
PROMISES = promises()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: f"{one.fault} {one.mistake}")
def test_the_text_of_a_mutant_is_in_its_file_exactly_once(mutant: Mutant) -> None:
    assert mutant.occurrences == 1
    assert mutant.ours != mutant.theirs
    if mutant.file.endswith(".py"):
        compile(mutant.text(), mutant.file, "exec")


def test_every_mistake_has_a_mutant_or_a_reason() -> None:
    put_in, without = ({one.fault for one in some} for some in (MUTANTS, EXEMPT))
    assert put_in | without >= {f"F{number}" for number in FAULTS}
    assert not put_in & without


def test_every_row_has_a_promise() -> None:
    rows = [one.row for one in PROMISES]
    assert len(set(rows)) == len(rows)
    assert set(rows) >= {str(number) for number in range(1, 33)}


def test_every_named_test_exists() -> None:
    named = [test for mutant in MUTANTS for test in mutant.tests]
    named += [proof.test for promise in PROMISES for proof in promise.proofs]
    for test in named:
        path, _, rest = test.partition("::")
        name = re.sub(r"\[.*", "", rest)
        source = (ROOT / path).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in source, test


PROOF = Proof("tests/a.py::test_a", "things", 10, optional="not installed")


def passed(tried: int, **more: object) -> Outcome:
    return Outcome(PROOF.test, tallies=[{"tried": tried, **more}])


@pytest.mark.parametrize(
    ("outcomes", "verdict", "is_excused"),
    [
        ([passed(10)], KEPT, False),
        ([passed(9)], NOT_TRIED, False),
        ([], NOT_TRIED, False),
        ([passed(10, broken=1)], BROKEN, False),
        ([passed(10), Outcome(f"{PROOF.test}[x]", "failed", "no")], BROKEN, False),
        ([Outcome(PROOF.test, "skipped", "node is not installed")], NOT_TRIED, True),
        ([passed(10), Outcome(f"{PROOF.test}[x]", "skipped", "other")], NOT_TRIED, False),
        ([Outcome(f"{PROOF.test}[{n}]") for n in range(10)], KEPT, False),
        ([Outcome("tests/a.py::test_a_more") for _ in range(10)], NOT_TRIED, False),
    ],
)
def test_a_promise_is_kept_only_if_it_was_tried_often_enough(
    outcomes: list[Outcome], verdict: str, is_excused: bool
) -> None:
    found = result(PROOF, outcomes)
    assert (found.verdict, found.is_excused) == (verdict, is_excused)
    assert verdict_of([found]) == verdict
    if is_excused:
        assert verdict_of([found, result(PROOF, [passed(10)])]) == KEPT


@pytest.mark.parametrize(
    ("outcome", "error", "is_caught"),
    [
        ("failed", "AssertionError", True),
        ("failed", "UnslantError", True),
        ("failed", "ImportError", False),
        ("failed", "Timeout", False),
        ("failed", "", False),  # in a fixture
        ("passed", "", False),
        ("skipped", "", False),
    ],
)
def test_a_mutant_is_caught_only_by_a_test_that_fails_in_its_own_body(
    outcome: str, error: str, is_caught: bool
) -> None:
    assert judged(["t"], [Outcome("t[1]", outcome, error=error)])[0] == is_caught
    assert not judged(["t", "u"], [Outcome("t", outcome, error=error)])[0]


def test_the_page_has_every_promise_and_every_mutant() -> None:
    path = ROOT / "docs" / "promises.md"
    if not path.exists():
        pytest.skip("make attack has not written docs/promises.md yet")
    page = path.read_text(encoding="utf-8")
    for promise in PROMISES:
        assert f"| {promise.row} | {promise.text} |" in page
    for mutant in MUTANTS:
        assert mutant.mistake in page
