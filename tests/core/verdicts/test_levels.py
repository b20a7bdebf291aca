"""How strong a bias is for sure, worked out by hand."""

from dataclasses import replace

import pytest

from unslant.core.measurement import Interval, Measurement, PValue
from unslant.core.record import Corrected, Meaning, Result
from unslant.core.score import DIFFERENCE, EFFECT_SIZE, Range, Scale, Score, share_of_chance, toward
from unslant.core.verdicts import finding_of
from unslant.core.verdicts.whole import widened

EFFECT = Meaning(summary="?", role="test", better="closer to 0", scale=EFFECT_SIZE)
UNSIZED = replace(EFFECT, scale=DIFFERENCE)
UNKNOWN = replace(EFFECT, scale=None)
SHARE = Meaning(
    summary="?",
    role="concept",
    better="closer to 0.5",
    scale=replace(share_of_chance(), needs_baseline=True),
)


def made(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    p: float | None = None,
    better: str = "closer to 0",
    **details: float,
) -> Measurement:
    return Measurement(
        value=value,
        why_undefined="" if value is not None else "no word is known.",
        metric="m",
        title="Test",
        better=better,
        interval=None
        if low is None or high is None
        else Interval(low=low, high=high, level=0.95, how="bca"),
        p=None if p is None else PValue(value=p, how="exact", alternative="two-sided", outcomes=99),
        details={name.replace("_", "-"): value for name, value in details.items()},
    )


@pytest.mark.parametrize(
    ("item", "level", "probable"),
    [
        (made(1.2, 0.9, 1.5, p=0.01), "strong", None),
        (made(1.2, 0.8, 1.5, p=0.01), "strong", None),
        (made(1.2, 0.79, 1.5, p=0.01), "moderate", "strong"),
        (made(0.6, 0.5, 0.7, p=0.01), "moderate", None),
        (made(0.6, 0.49, 0.9, p=0.01), "weak", "moderate"),
        (made(1.2, 0.1, 1.9, p=0.01), "weak", "strong"),
        (made(-1.2, -1.5, -0.9, p=0.01), "strong", None),
        (made(-1.2, -1.9, -0.6, p=0.01), "moderate", "strong"),
        (made(0.3, 0.1, 0.45, p=0.01), "weak", None),
        (made(0.2, 0.1, 0.3, p=0.01), "weak", None),
        (made(0.19, 0.1, 0.3, p=0.01), "undecided", None),
        (made(-0.1, -0.15, -0.05, p=0.01), "undecided", None),
        (made(1.2, -0.1, 1.9, p=0.01), "undecided", None),
        (made(1.2, 0.0, 1.9, p=0.01), "undecided", None),
        (made(1.2, 0.9, 1.9, p=0.05), "undecided", None),
        (made(1.2, 0.9, 1.9), "strong", None),
        (made(1.2, p=0.01), "shown", None),
        (made(1.2, p=0.5), "undecided", None),
        (made(1.2), "not judged", None),
        (made(None), "not judged", None),
        (made(1.2, 0.9, 1.5, p=0.01, better=""), "not judged", None),
    ],
)
def test_the_level_is_that_of_the_end_nearest_to_the_ideal(
    item: Measurement, level: str, probable: str | None
) -> None:
    finding = finding_of(Result(now=item), EFFECT)
    assert (finding.level, finding.probable) == (level, probable)


def test_the_sentence_says_what_is_sure_what_is_probable_and_why_not_more() -> None:
    sentences = (
        (
            made(1.2, 0.9, 1.5, p=0.01),
            "Bias is shown and strong: 1.20, 95 % interval 0.900 to",
        ),
        (made(1.2, 0.6, 1.5, p=0.01), "Bias is shown, at least moderate, probably strong: 1.20"),
        (
            made(0.1, 0.05, 0.15, p=0.01),
            "Undecided: the value is 0.100, and though its 95 % interval 0.050 to 0.150 "
            "excludes 0, a bias counts as weak from a distance of 0.200.",
        ),
        (
            made(0.9, -0.2, 1.5, p=0.01),
            "Undecided: the value is 0.900, and its 95 % interval −0.200 to 1.50 includes 0.",
        ),
        (made(0.9, 0.2, 1.5, p=0.07), "and its p-value is .070."),
        (made(0.9), "The value alone is not judged: it has neither an interval nor a p-value."),
        (made(None), "The value alone is not judged: it has no value (no word is known)."),
        (made(0.9, p=0.01), "its size is not judged: it has no interval."),
    )
    for item, said in sentences:
        assert said in finding_of(Result(now=item), EFFECT).sentence


def test_the_corrected_p_value_decides_and_not_the_plain_one() -> None:
    item = made(1.2, 0.9, 1.5, p=0.01)
    many = Result(now=item, corrected=Corrected(holm=0.06, benjamini_hochberg=0.02))
    finding = finding_of(many, EFFECT)
    assert finding.level == "undecided"
    assert "p-value is .060 after correction for the number of tests" in finding.sentence
    few = replace(many, corrected=Corrected(holm=0.04, benjamini_hochberg=0.02))
    assert finding_of(few, EFFECT).level == "strong"


def test_without_p_values_the_interval_is_widened_for_the_number_of_results() -> None:
    item = made(0.5, 0.1, 0.9)
    assert finding_of(Result(now=item), EFFECT).level == "weak"
    # For 20 results z is 3.02 instead of 1.96, so the low end is 0.5 − 0.4 · 1.54 = −0.12.
    assert finding_of(Result(now=item), EFFECT, family=20).level == "undecided"
    with_p = replace(item, p=made(0.5, p=0.01).p)
    assert finding_of(Result(now=with_p), EFFECT, family=20).level == "weak"
    found = widened(item.interval or Interval(low=0, high=0, level=0, how=""), 0.5, 20)
    assert found.low == pytest.approx(0.5 - 0.4 * 3.0233 / 1.9600, abs=1e-3)


def test_a_measure_without_sizes_is_shown_or_not_and_without_an_ideal_only_p_shows_it() -> None:
    clear, unclear = made(0.3, 0.1, 0.5), made(0.3, -0.1, 0.5)
    assert finding_of(Result(now=clear), UNSIZED).level == "shown"
    assert "no scale of sizes" in finding_of(Result(now=clear), UNSIZED).sentence
    assert finding_of(Result(now=unclear), UNSIZED).level == "undecided"
    assert finding_of(Result(now=clear), UNKNOWN).level == "not judged"
    assert finding_of(Result(now=clear), None).level == "not judged"
    assert finding_of(Result(now=made(0.3, 0.1, 0.5, p=0.01)), UNKNOWN).level == "shown"
    assert finding_of(Result(now=made(0.3, -0.1, 0.5, p=0.01)), UNKNOWN).level == "undecided"


def test_words_chosen_by_their_bias_are_judged_only_against_a_baseline() -> None:
    result = Result(now=made(0.9, 0.85, 0.95, better="closer to 0.5"))
    assert finding_of(result, SHARE).level == "not judged"
    assert finding_of(result, SHARE, has_baseline=True).level == "strong"


def test_a_classifier_that_is_right_less_often_than_by_chance_shows_no_bias() -> None:
    below = Result(now=made(0.4, 0.37, 0.43, better="closer to 0.5"))
    assert finding_of(below, SHARE, has_baseline=True).level == "weak"
    above = replace(SHARE, scale=replace(share_of_chance(), only_above=True))
    finding = finding_of(below, above)
    assert finding.level == "undecided"
    assert "its 95 % interval 0.370 to 0.430 is not worse than 0.500" in finding.sentence


def test_an_effect_that_random_lists_give_too_gets_a_caution() -> None:
    scale = replace(EFFECT_SIZE, random_share="share-below")
    meaning = replace(EFFECT, scale=scale)
    for share, said in ((0.72, "28 % of random word lists give as much"), (0.98, "")):
        item = made(1.2, 0.9, 1.5, p=0.01, share_below=share)
        finding = finding_of(Result(now=item), meaning)
        assert finding.level == "strong"
        assert finding.caution.startswith(said)
        assert bool(finding.caution) == bool(said)
        assert finding.caution in finding.sentence


def test_a_scale_of_smaller_is_better_counts_from_its_ideal() -> None:
    meaning = Meaning(
        summary="?", role="probe", better="smaller", scale=Scale(ideal=0.1, steps=(0.1, 0.2, 0.3))
    )
    levels = {
        (0.5, 0.45, 0.6): "strong",
        (0.5, 0.35, 0.6): "moderate",
        (0.05, 0.01, 0.09): "undecided",
        (0.2, 0.1, 0.3): "undecided",
    }
    for ends, level in levels.items():
        item = made(*ends, better="smaller")
        assert finding_of(Result(now=item), meaning).level == level


def test_a_scale_that_contradicts_its_score_is_refused() -> None:
    with pytest.raises(ValueError, match="must rise"):
        Scale(ideal=0, steps=(0.5, 0.2, 0.8))
    with pytest.raises(ValueError, match="ideal of the scale is 0"):
        Score(better=toward(0.5), range=Range(0, 1), misleads="?", scale=EFFECT_SIZE)
    with pytest.raises(ValueError, match="Only a score about bias"):
        Score(better=toward(0), range=Range(), misleads="?", scale=EFFECT_SIZE, tells="quality")
    with pytest.raises(ValueError, match="Only a score about quality"):
        Score(better=toward(0), range=Range(), misleads="?", tolerated=0.1)
