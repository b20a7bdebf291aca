"""What became of a bias and of a quality, and the sentence on the whole, worked out by hand."""

from dataclasses import replace
from typing import Any

import pytest

from unslant.core.measurement import Interval, Measurement
from unslant.core.record import (
    Change,
    Control,
    Controls,
    Meaning,
    Record,
    Resource,
    Result,
    Subject,
    Treatment,
    Verdict,
)
from unslant.core.score import EFFECT_SIZE
from unslant.core.verdicts import finding_of, judged

BIAS = Meaning(summary="w", role="test", better="closer to 0", scale=EFFECT_SIZE)
QUALITY = Meaning(summary="q", role="quality", better="larger", tells="quality", tolerated=0.02)
VECTORS = Resource(name="word.vec", kind="vectors")


def ends(low: float, high: float) -> Interval:
    return Interval(low=low, high=high, level=0.95, how="?")


def changed(
    before: float,
    now: float,
    verdict: Verdict,
    change: tuple[float, float] | None,
    *,
    interval: tuple[float, float] | None = None,
    better: str = "closer to 0",
    metric: str = "weat",
    controls: tuple[float, ...] | None = (),
) -> Result:
    """Without ``controls`` 19 of them did nothing; None are no controls at all."""
    if controls == ():
        controls = (before,) * 19
    item = Measurement(
        value=now,
        metric=metric,
        title="Career",
        better=better,
        interval=ends(*interval) if interval else None,
    )
    return Result(
        now=item,
        before=replace(item, value=before, interval=None),
        change=Change(
            difference=now - before, interval=ends(*change) if change else None, verdict=verdict
        ),
        control=Control(values=controls, directions=1, mean=0.0) if controls else None,
    )


@pytest.mark.parametrize(
    ("result", "outcome", "mark"),
    [
        (changed(1.2, 0.5, "better", (-0.9, -0.5), interval=(0.3, 0.7)), "reduced", "better"),
        (changed(1.2, 0.05, "better", (-1.2, -1.1), interval=(-0.1, 0.15)), "removed", "better"),
        (changed(1.2, 0.05, "better", (-1.2, -1.1), interval=(-0.1, 0.25)), "reduced", "better"),
        (changed(1.2, 0.05, "better", (-1.2, -1.1)), "reduced", "better"),
        (changed(1.2, 0.5, "better", (-0.9, 0.1)), "undecided", ""),
        (changed(1.2, 1.1, "unclear", (-0.3, 0.1)), "undecided", ""),
        (changed(0.5, 1.2, "worse", (0.5, 0.9)), "worse", "worse"),
        (changed(1.2, 0.5, "unknown", None), None, ""),
        (changed(1.2, 0.5, "better", (-0.9, -0.5), controls=(0.8,) * 19), "reduced", "better"),
        (changed(1.2, 0.5, "better", (-0.9, -0.5), controls=(0.8,) * 18), "undecided", ""),
        (changed(1.2, 0.5, "better", (-0.9, -0.5), controls=None), "undecided", ""),
        (changed(1.2, 0.5, "better", (-0.9, -0.5), controls=(*(0.8,) * 18, -0.5)), "undecided", ""),
        (changed(0.5, 1.2, "worse", (0.5, 0.9), controls=(*(0.6,) * 18, -1.2)), "undecided", ""),
        (changed(0.5, 1.2, "worse", (0.5, 0.9), controls=(*(0.6,) * 18, -1.1)), "worse", "worse"),
    ],
)
def test_a_bias_is_reduced_only_if_the_change_and_the_controls_say_so(
    result: Result, outcome: str | None, mark: str
) -> None:
    finding = finding_of(result, BIAS)
    assert (finding.outcome, finding.mark) == (outcome, mark)


@pytest.mark.parametrize(
    ("verdict", "change", "better", "outcome"),
    [
        ("better", (0.01, 0.03), "larger", "improved"),
        ("unclear", (-0.01, 0.03), "larger", "kept"),
        ("worse", (-0.019, -0.001), "larger", "kept"),
        ("worse", (-0.05, -0.03), "larger", "lost"),
        ("unclear", (-0.05, 0.03), "larger", "unclear"),
        ("unclear", (-0.05, 0.01), "smaller", "kept"),
        ("worse", (0.03, 0.05), "smaller", "lost"),
        ("unknown", None, "larger", None),
        ("worse", None, "larger", "lost"),
    ],
)
def test_quality_is_kept_only_if_a_larger_loss_is_excluded(
    verdict: Verdict, change: tuple[float, float] | None, better: str, outcome: str | None
) -> None:
    result = changed(0.6, 0.6, verdict, change, better=better, metric="analogy")
    assert finding_of(result, replace(QUALITY, better=better)).outcome == outcome


def whole(*results: Result, **given: Any) -> str:
    told: dict[str, Any] = {"baseline": VECTORS, "treatment": Treatment(expression="hard")} | given
    found = judged(
        Record(
            about="audit",
            subject=Subject(kind="concept", name="gender", title="Gender"),
            resource=VECTORS,
            results=results,
            glossary={"weat": BIAS, "analogy": QUALITY},
            **told,
        )
    )
    assert found.conclusion is not None
    assert judged(found) is found
    return found.conclusion.sentence


def test_the_whole_says_what_changed_what_is_left_and_what_quality_did() -> None:
    better = changed(1.2, 0.5, "better", (-0.9, -0.5), interval=(-0.1, 0.9))
    same = changed(1.2, 1.2, "unclear", (-0.1, 0.1), interval=(0.9, 1.5))
    kept = changed(0.6, 0.6, "unclear", (-0.01, 0.01), better="larger", metric="analogy")
    assert whole(better, better, same, kept) == (
        "hard reduced the bias by 39 % on average; none of 19 random controls changed it by more "
        "than 0 % (better in 2 of 3 measures, worse in none). Bias is still shown in 1 of 3 "
        "association tests of “gender”, in “Career” (strong). Quality is kept."
    )
    assert whole(better, better).endswith(
        "Undecided: none of 2 association tests of “gender” shows a bias or rules one out. Quality "
        "was not measured."
    )
    plain = [replace(item, before=None, change=None) for item in (same, same, better)]
    assert whole(*plain, baseline=None, treatment=None) == (
        "Bias is shown in 2 of 3 association tests of “gender”, strongest in “Career” (strong)."
    )
    assert whole(baseline=None, treatment=None) == (
        "Undecided: no result of “gender” can be judged."
    )


def test_a_record_of_quality_alone_says_that_bias_was_not_measured() -> None:
    lost = changed(0.8, 0.7, "worse", (-0.12, -0.08), better="larger", metric="analogy")
    assert whole(lost) == "Quality is lost in 1 of 1 benchmark. Bias was not measured."
    plain = replace(lost, before=None, change=None)
    assert whole(plain, baseline=None, treatment=None) == "Bias was not measured."


def test_one_clear_change_among_many_is_what_chance_gives() -> None:
    better = changed(1.2, 0.5, "better", (-0.9, -0.5))
    worse = changed(0.5, 1.2, "worse", (0.5, 0.9))
    same = changed(1.2, 1.2, "unclear", (-0.1, 0.1))
    one = whole(better, *[same] * 19)
    assert one.startswith(
        "Undecided: hard changed the bias by −2.9 % on average, 19 random controls"
    )
    assert "too few measures changed clearly (better in 1 of 20" in one
    assert "hard reduced the bias by 8.8 %" in whole(*[better] * 3, *[same] * 17)
    assert "hard increased the bias by 9.6 %" in whole(*[worse] * 3, *[same] * 17)


def control_values(number: int, value: float, others: float) -> tuple[float, ...]:
    """19 controls, one of which has another value."""
    return (*(others,) * number, value, *(others,) * (18 - number))


def test_the_whole_is_claimed_only_beyond_every_control_in_either_direction() -> None:
    def both(first: float, second: float) -> str:
        """Two measures that are clearly better, with a control that changed each of them."""
        one = changed(1.0, 0.5, "better", (-0.6, -0.4), controls=control_values(0, first, 1.0))
        two = changed(1.0, 0.5, "better", (-0.6, -0.4), controls=control_values(0, second, 1.0))
        return whole(replace(one, now=replace(one.now, metric="direct-bias")), two)

    assert "none of 19 random controls changed it by more than 45 %" in both(0.55, 0.55)
    assert both(0.55, 0.4).startswith(  # each is beaten in one measure at most, but not on average
        "Undecided: hard changed the bias by −50 % on average, 19 random controls by up to 52 %"
    )
    assert both(1.6, 1.6).startswith("Undecided: hard changed the bias by −50 %")  # made it worse


def test_without_19_controls_no_change_is_claimed_and_the_sentence_says_why() -> None:
    few = changed(1.2, 0.5, "better", (-0.9, -0.5), controls=(1.2,) * 4)
    none = changed(1.2, 0.5, "better", (-0.9, -0.5), controls=None)
    start = "Undecided: whether hard changed the bias cannot be told from chance: "
    assert whole(few, few).startswith(f"{start}4 controls were run, and a claim needs 19.")
    assert whole(none, none).startswith(f"{start}no random controls were run.")
    why = "no number of random directions matches what hard does"
    assert whole(none, controls=Controls(why_none=why)).startswith(f"{start}{why}.")
    assert whole(none, treatment=None).startswith("Undecided: whether the bias changed cannot be")


def test_a_measure_weighs_as_much_as_another_with_more_results() -> None:
    many = [changed(1.0, 0.9, "better", (-0.2, -0.05))] * 6
    one = changed(1.0, 0.5, "better", (-0.6, -0.4), metric="direct-bias")
    assert "reduced the bias by 30 % on average" in whole(*many, one)


def test_a_doubt_about_the_whole_record_leaves_it_undecided() -> None:
    strong = changed(1.2, 1.2, "unclear", (-0.1, 0.1), interval=(0.9, 1.5))
    plain = replace(strong, before=None, change=None, control=None)
    said = whole(plain, baseline=None, treatment=None, doubt="x.vec may be in another language")
    assert said.startswith("Undecided: x.vec may be in another language")
