"""Numbers of a document that follow from others in it."""

from collections.abc import Iterator

import pytest

from experiments.papers import dawkins_2023, printed
from experiments.papers.tables import Printed, published

THESIS = published("dawkins-2023")


def test_distance_and_error_by_hand() -> None:
    row = {"M N": 0.7, "M E": 0.2, "M C": 0.1, "F N": 1.0, "F E": 0.0, "F C": 0.0}
    theirs: Printed = {
        **{("3.1", "x", name): value for name, value in row.items()},
        ("3.1", "x", "d"): 0.1,
        ("3.1", "x", "E"): 0.2,
    }
    found = {name: made for name, made, _ in printed.distances(theirs)}
    away = (0.3**2 + 0.2**2 + 0.1**2) ** 0.5
    assert found == pytest.approx({"3.1, x, d": away, "3.1, x, E": away / 2})


def test_correlations_leave_out_what_is_not_printed() -> None:
    values = {"a": (1.0, 1.0), "b": (2.0, 3.0), "c": (None, 9.0), "d": (3.0, 2.0)}
    theirs: Printed = {
        **{("B.1", row, name): 0.0 for row in values for name in printed.INTRINSIC},
        **{("B.1", row, "DB"): pair[0] for row, pair in values.items()},
        **{("B.1", row, "E"): pair[1] for row, pair in values.items()},
        ("B.2", "DB", "E"): 0.5,
    }
    [(name, made, said)] = printed.correlations(theirs)
    assert (name, said) == ("DB, E", 0.5)
    assert made == pytest.approx(0.5)


def test_what_the_thesis_prints_follows_but_for_what_the_page_lists() -> None:
    assert all(promise.holds for promise in dawkins_2023.promises())
    worst = max(abs(made - said) for _, made, said in printed.correlations(THESIS))
    assert 0.004 < worst < 0.005


def test_eta_of_one_setting_is_the_one_above_it() -> None:
    [(what, made, said)] = printed.unlike(printed.fairness(), 1e-4)
    assert what == "D.1, SENT 1"
    assert made == pytest.approx(0.1463 * 0.4717)
    assert said == 0.1231


def test_the_printed_correlation_has_lost_its_sign() -> None:
    made, p = printed.strength_and_fairness(corrected=True)
    assert (round(made, 3), round(p, 2)) == (-0.041, 0.73)
    assert round(printed.strength_and_fairness(corrected=False)[0], 3) == -0.038


def test_a_new_contradiction_breaks_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {**THESIS, ("4.1", "RAN-GloVe", "WinoBias diff"): 25.0}
    monkeypatch.setattr(dawkins_2023, "published", lambda _: changed)
    assert dawkins_2023.promises()[0].holds is False


def test_differences_within_the_tolerance_are_not_reported() -> None:
    def pairs() -> Iterator[printed.Pair]:
        yield "a", 1.0, 1.05
        yield "b", 1.0, 1.2

    assert [what for what, *_ in printed.unlike(pairs(), 0.1)] == ["b"]
