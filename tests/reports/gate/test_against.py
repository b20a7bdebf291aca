"""Whether one record is no worse than another, worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from tests.reports.gate.records import measured, record, result
from unslant.core.errors import UnslantError
from unslant.core.measurement import Interval
from unslant.core.record import Change, Resource, Subject
from unslant.reports.gate.check import Judge, against_checks, is_paired

BASE = record(measured("weat", 0.5, 0.3, 0.7), measured("analogy", 0.6, 0.58, 0.62))


def statuses(*items: object, judge: Judge = "interval") -> list[str]:
    now = record(*items, sha="b" * 64)  # type: ignore[arg-type]
    return [check.status for check in against_checks(now, BASE, judge)]


def test_only_a_clear_loss_fails_and_a_changed_sign_is_none() -> None:
    assert statuses(measured("weat", 1.5, 1.3, 1.7)) == ["failed"]
    assert statuses(measured("weat", 0.6, 0.4, 0.8)) == ["passed"]
    assert statuses(measured("weat", -0.5, -0.7, -0.3)) == ["passed"]
    assert statuses(measured("weat", -1.5, -1.7, -1.3)) == ["failed"]
    assert statuses(measured("analogy", 0.5, 0.48, 0.52)) == ["failed"]
    assert statuses(measured("analogy", 0.7, 0.68, 0.72)) == ["passed"]
    assert statuses(measured("weat", 0.6, 0.4, 0.8), judge="value") == ["failed"]


def test_what_lost_its_interval_is_not_judged_and_other_words_are_skipped() -> None:
    assert statuses(measured("weat", 0.6)) == ["not judged"]
    assert statuses(measured("weat", None)) == ["not judged"]
    with pytest.raises(UnslantError, match="no measure in common"):
        statuses(measured("lean", 0.1))
    other = record(subject=Subject(kind="concept", name="race", title="Race"))
    with pytest.raises(UnslantError, match="different subjects"):
        list(against_checks(other, BASE, "interval"))


def test_the_interval_of_two_intervals_is_that_of_independent_normal_values() -> None:
    now = record(measured("weat", 0.9, 0.6, 1.2), sha="b" * 64)
    [check] = against_checks(now, BASE, "interval")
    half = np.hypot(0.3, 0.2)  # 1.96 standard errors of a difference
    assert f"{0.4 - half:.3f} to {0.4 + half:.3f}, not paired" in check.says


def test_changes_on_the_same_resamples_are_used_if_the_record_has_them() -> None:
    paired = Interval(low=0.1, high=0.3, level=0.95, how="the same resamples")
    change = Change(difference=0.2, interval=paired, verdict="worse")
    item = result(0.5, "weat", 0.7, 0.4, 1.0, change=change)
    base = Resource(name="base", kind="vectors", sha256="a" * 64)
    now = record(item, sha="b" * 64, baseline=base)
    assert is_paired(now, BASE)
    [check] = against_checks(now, BASE, "interval")
    assert check.status == "failed"
    assert "on the same resamples" in check.says
    # Without the pairing the two intervals overlap by far.
    apart = replace(now, baseline=replace(base, sha256="c" * 64))
    assert [check.status for check in against_checks(apart, BASE, "interval")] == ["passed"]


def test_many_results_without_any_change_seldom_fail_by_chance() -> None:
    rng = np.random.default_rng(0)
    names = [f"weat(n={n})" for n in range(40)]

    def drawn(sha: str) -> object:
        values = 0.6 + 0.1 * rng.normal(size=40)
        items = [
            measured("weat", float(value), value - 0.196, value + 0.196, expression=name)
            for name, value in zip(names, values, strict=True)
        ]
        return record(*items, sha=sha)

    failed = 0
    for _ in range(40):
        checks = against_checks(drawn("b" * 64), drawn("a" * 64), "interval")  # type: ignore[arg-type]
        failed += any(check.status == "failed" for check in checks)
    assert failed <= 5
