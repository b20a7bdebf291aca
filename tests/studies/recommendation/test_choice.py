"""The rules of a recommendation, on numbers made for them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.record import PURPOSES, Purpose
from unslant.studies.recommendation.choice import (
    TOLERATED,
    Estimate,
    Option,
    beats,
    choose,
    clearly_beats,
    front_of,
    mean,
)

KINDS = {"WEAT 1": "weat", "WEAT 2": "weat", "DB": "direct-bias", "NLI": "downstream"}
DOWNSTREAM = frozenset({"NLI"})


def estimate(value: float, spread: float = 0.02, seed: int = 0) -> Estimate:
    draws = value + spread * np.random.default_rng(seed).standard_normal(400)
    return Estimate(value, draws)


def option(
    name: str,
    removed: float,
    kept: float = 1.0,
    *,
    cost: int = 1,
    spread: float = 0.02,
    seed: int = 0,
    controls: tuple[float, ...] = (0.0, 0.02, -0.03),
    better: frozenset[str] | None = None,
    worse: frozenset[str] = frozenset(),
) -> Option:
    return Option(
        method=name,
        expression=name,
        cost=cost,
        removed={measure: estimate(removed, spread, seed) for measure in KINDS},
        kept={"MEN": estimate(kept, 0.005, seed)},
        kinds=KINDS,
        better=frozenset(KINDS) - worse if better is None else better,
        worse=worse,
        downstream=DOWNSTREAM,
        controls=tuple(
            Option(
                method=f"random {value}",
                expression="random",
                removed={measure: Estimate(value) for measure in KINDS},
                kept={"MEN": Estimate(1.0)},
                kinds=KINDS,
            )
            for value in controls
        ),
    )


def test_every_kind_of_measure_counts_once_however_many_tests_it_has() -> None:
    shares = {"WEAT 1": 0.9, "WEAT 2": 0.7, "DB": 0.5, "NLI": -0.4}
    made = Option(
        method="m",
        expression="m",
        removed={name: Estimate(value) for name, value in shares.items()},
        kept={"MEN": Estimate(0.9), "Google": Estimate(0.7)},
        kinds=KINDS,
    )
    assert made.bias.value == pytest.approx((0.8 + 0.5 - 0.4) / 3)
    assert made.quality.value == pytest.approx(0.8)


def test_shipping_takes_most_bias_removed_within_the_tolerated_loss() -> None:
    some = [
        option("costly", 0.9, 1 - TOLERATED - 0.01),
        option("good", 0.6, 0.98),
        option("mild", 0.3, 0.99),
    ]
    found = choose(some, "shipping")
    assert found.chosen is some[1]
    assert "keeps only 94 % of MEN" in found.why_not["costly"]
    assert [item.method for item in found.runners_up] == ["mild"]
    assert choose(some, "audit").chosen is some[0]
    assert choose(some, "research").chosen is some[0]
    assert [item.method for item in choose(some, "research").front] == ["costly", "good", "mild"]


def test_shipping_refuses_what_makes_a_downstream_measure_clearly_worse() -> None:
    some = [option("harmful", 0.9, worse=DOWNSTREAM), option("mild", 0.3)]
    found = choose(some, "shipping")
    assert found.chosen is some[1]
    assert found.why_not["harmful"] == "makes NLI clearly worse"


def test_an_audit_counts_measures_before_it_weighs_them() -> None:
    some = [option("deep", 0.8, better=frozenset({"DB"})), option("broad", 0.5, 1.01)]
    found = choose(some, "audit")
    assert found.chosen is some[1]
    assert found.why_not["deep"] == "broad clearly improves 4 measures, it 1"
    assert choose(some, "research").chosen is some[0]


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_reason_never_says_that_less_is_more(purpose: Purpose) -> None:
    some = [
        option(
            f"m{n}", 0.3 + 0.05 * n, 1.0 - 0.01 * (n % 4), better=frozenset(sorted(KINDS)[n % 4 :])
        )
        for n in range(8)
    ]
    by_name = {item.method: item for item in some}
    for name, why in choose(some, purpose).why_not.items():
        other = by_name.get(why.partition(" ")[0])
        if other and "removes more bias" in why:
            assert other.bias.value > by_name[name].bias.value, why
        if other and "keeps more quality" in why:
            assert other.quality.value > by_name[name].quality.value, why


@pytest.mark.parametrize("purpose", PURPOSES)
def test_nothing_is_recommended_that_random_directions_do_as_well(purpose: Purpose) -> None:
    lucky = option("lucky", 0.10, controls=(0.0, 0.12))
    idle = option("idle", 0.5, better=frozenset())
    wide = option("wide", 0.05, spread=0.2)
    found = choose([lucky, idle, wide], purpose)
    assert found.chosen is None
    assert set(found.why_not.values()) == {"does no more than removing random directions"}


@pytest.mark.parametrize("purpose", PURPOSES)
def test_of_methods_that_cannot_be_told_apart_the_simplest_is_taken(purpose: Purpose) -> None:
    rough = option("rough", 0.62, 0.97, cost=4, seed=1, spread=0.1)
    plain = option("plain", 0.60, 0.98, cost=1, seed=2, spread=0.1)
    found = choose([rough, plain], purpose)
    assert found.chosen is plain
    assert found.tied == (rough,)
    # The same values, told apart by resamples that they share.
    sure = [option(i.method, i.bias.value, i.quality.value, cost=i.cost) for i in (rough, plain)]
    assert choose(sure, purpose).chosen is sure[0]


def test_a_simpler_method_is_not_passed_over_for_a_hair() -> None:
    chain, plain = option("chain", 0.604, 1.0, cost=3), option("plain", 0.6, 1.0, cost=2)
    assert beats(chain, plain)
    assert choose([chain, plain], "shipping").chosen is plain
    far = option("far", 0.7, 1.0, cost=3)
    assert choose([far, plain], "shipping").why_not["plain"].startswith("far removes more")


@given(
    st.lists(
        st.tuples(st.floats(-0.5, 1), st.floats(0.6, 1), st.integers(1, 5), st.booleans()),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(PURPOSES),
)
def test_what_another_method_beats_is_never_recommended(
    points: list[tuple[float, float, int, bool]], purpose: Purpose
) -> None:
    some = [
        option(str(n), removed, kept, cost=cost, worse=DOWNSTREAM if is_worse else frozenset())
        for n, (removed, kept, cost, is_worse) in enumerate(points)
    ]
    found = choose(some, purpose)
    assert set(found.why_not) == {item.method for item in some}
    if found.chosen is None:
        assert all(found.why_not.values())
        return
    assert not found.why_not[found.chosen.method]
    assert found.chosen.is_shown
    if purpose == "shipping":
        assert all(share.value >= 1 - TOLERATED for share in found.chosen.kept.values())
        assert not found.chosen.worse
        able = [i for i in some if i.quality.value >= 1 - TOLERATED and not i.worse and i.is_shown]
    else:
        able = [item for item in some if item.is_shown]
    assert not any(clearly_beats(other, found.chosen) for other in able)
    ahead = [other for other in able if beats(other, found.chosen)]
    assert all(other in found.tied for other in ahead), "only what cannot be told apart is ahead"


@given(st.integers(0, 200))
def test_noise_within_the_intervals_changes_the_answer_only_among_the_tied(seed: int) -> None:
    """The numbers are redrawn: what is chosen was not told from the best before."""
    truth = {"a": (0.70, 0.96, 3), "b": (0.66, 0.97, 1), "c": (0.30, 0.99, 1)}
    rng = np.random.default_rng(seed)
    noisy = [
        option(name, removed + 0.03 * rng.standard_normal(), kept, cost=cost, spread=0.06, seed=n)
        for n, (name, (removed, kept, cost)) in enumerate(truth.items())
    ]
    found = choose(noisy, "shipping").chosen
    assert found is not None
    assert found.method in ("a", "b")


def test_the_front_is_that_of_plain_loops() -> None:
    rng = np.random.default_rng(4)
    some = [option(str(n), *rng.uniform(0.5, 1, 2).round(1).tolist()) for n in range(30)]
    expected = {
        one.method
        for one in some
        if not any(
            other.bias.value >= one.bias.value
            and other.quality.value >= one.quality.value
            and (other.bias.value, other.quality.value) != (one.bias.value, one.quality.value)
            for other in some
        )
    }
    assert {item.method for item in front_of(some)} == expected


def test_a_difference_is_measured_on_the_resamples_that_two_share() -> None:
    common = np.random.default_rng(0).standard_normal(400)
    one, other = Estimate(0.5, 0.5 + common), Estimate(0.4, 0.4 + common)
    assert (one - other).bounds == pytest.approx((0.1, 0.1))
    assert one.bounds is not None
    assert one.bounds[0] < -1
    assert Estimate(0.3).bounds is None
    assert mean([Estimate(0.2), one]).bounds is not None
