"""The verdict on a study: no more than the intervals, the controls and chance allow."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from unslant.core.measurement import Interval
from unslant.core.record import Meaning, Record, Subject
from unslant.core.study_record import PlanFacts, StudyCell, StudyPart, StudyStatus
from unslant.core.verdicts import judged
from unslant.core.verdicts.study import study_conclusion, tallies

BIAS = Meaning(summary="bias", role="concept", better="smaller")
QUALITY = Meaning(summary="quality", role="quality", better="larger")
BACKGROUND = Meaning(summary="more", role="concept", better="smaller", tells="background")


def cell(
    method: str,
    measure: str,
    low: float,
    high: float,
    *,
    better: str = "smaller",
    words: str = "same",
    seed: int = 0,
    resource: str = "glove",
    metric: str = "bias",
) -> StudyCell:
    return StudyCell(
        resource=resource,
        method=method,
        measure=measure,
        concept="gender",
        seed=seed,
        id="",
        metric=metric,
        title=measure,
        value=(low + high) / 2,
        better=better,
        interval=Interval(low=low, high=high, level=0.95, how="made"),
        words=words,
        method_expression="" if method == "original" else method,
    )


def record(cells: Sequence[StudyCell]) -> Record:
    return Record(
        about="study",
        subject=Subject(kind="plan", name="made", title="made"),
        glossary={"bias": BIAS, "quality": QUALITY, "background": BACKGROUND},
        study=StudyPart(
            plan=PlanFacts(),
            status=StudyStatus(planned=len(cells), done=len(cells)),
            cells=tuple(cells),
        ),
    )


def said(cells: Sequence[StudyCell]) -> str:
    found = judged(record(cells)).conclusion
    assert found is not None
    return found.sentence


def two(method: str, low: float, high: float, **more: object) -> list[StudyCell]:
    return [cell(method, name, low, high, **more) for name in ("a", "b")]  # type: ignore[arg-type]


ORIGINAL = two("original", 0.8, 1.0)


def test_intervals_apart_on_enough_measures_are_a_reduction_and_overlaps_are_not() -> None:
    found = judged(record([*ORIGINAL, *two("hard", 0.1, 0.3), *two("soft", 0.5, 0.85)])).conclusion
    assert found is not None
    assert found.sentence == (
        "“hard” (better in 2 of 2 comparisons, worse in none) reduced the bias; 1 other method is "
        "not shown to change it. Quality was not compared."
    )
    assert (found.outcome, found.quality, found.level) == ("reduced", None, "not judged")


def test_what_touches_the_interval_of_the_original_is_not_apart() -> None:
    assert "shown to change the bias (clearly better in none of 2" in said(
        [*ORIGINAL, *two("hard", 0.1, 0.8)]
    )


def test_a_control_that_does_as_much_takes_the_reduction_away() -> None:
    cells = [*ORIGINAL, *two("hard", 0.2, 0.3), *two("random", 0.1, 0.4)]
    assert said(cells).startswith("Undecided: the only method is not shown to change the bias")
    weaker = [*ORIGINAL, *two("hard", 0.2, 0.3), *two("random", 0.7, 0.9)]
    assert "“hard” (better in 2 of 2" in said(weaker)


def test_every_seed_of_a_control_counts_not_their_mean() -> None:
    controls = [*two("random", 0.7, 0.9), *two("random", 0.1, 0.3, seed=1)]
    cells = [*ORIGINAL, *two("hard", 0.2, 0.3), *controls]
    assert "not shown" in said(cells)


def test_over_seeds_the_whole_range_of_the_intervals_has_to_be_apart() -> None:
    seeds = [*two("hard", 0.1, 0.2), *two("hard", 0.6, 0.9, seed=1)]
    assert "not shown" in said([*ORIGINAL, *seeds])


def test_one_clear_change_among_many_may_be_chance() -> None:
    names = [f"m{number}" for number in range(12)]
    before = [cell("original", name, 0.8, 1.0) for name in names]
    after = [cell("hard", name, *((0.1, 0.2) if name == "m0" else (0.7, 0.9))) for name in names]
    assert said([*before, *after]).startswith(
        "Undecided: the only method is not shown to change the bias (clearly better in 1 of 12"
    )


def test_worse_is_said_and_goals_are_distances() -> None:
    before = two("original", -0.3, 0.3, better="closer to 0")
    found = said([*before, *two("odd", -0.9, -0.5, better="closer to 0")])
    assert found.startswith("“odd” (worse in 2 of 2 comparisons) increased the bias.")
    mixed = said([*ORIGINAL, *two("hard", 0.1, 0.2), *two("odd", 1.2, 1.5)])
    assert "reduced the bias; “odd” (worse in 2 of 2 comparisons) increased it." in mixed


def test_other_words_and_other_resources_are_not_compared() -> None:
    others = two("hard", 0.1, 0.2, words="others")
    assert "no measure has intervals on the same words" in said([*ORIGINAL, *others])
    assert "cannot be judged" in said([*ORIGINAL, *two("hard", 0.1, 0.2, resource="fasttext")])


def test_what_is_missing_is_named() -> None:
    assert "the study has no row without a method" in said(two("hard", 0.1, 0.2))
    assert "the study has no method" in said(ORIGINAL)
    bare = [replace(one, interval=None) for one in [*ORIGINAL, *two("hard", 0.1, 0.2)]]
    assert "no measure has intervals" in said(bare)


def test_quality_is_lost_if_intervals_say_so_and_no_control_is_needed() -> None:
    before = two("original", 0.6, 0.65, better="larger", metric="quality")
    lost = two("hard", 0.4, 0.5, better="larger", metric="quality")
    kept = two("hard", 0.58, 0.64, better="larger", metric="quality")
    bias = [*ORIGINAL, *two("hard", 0.1, 0.2)]
    assert said([*bias, *before, *lost]).endswith(
        "“hard” (worse in 2 of 2 comparisons) lost quality."
    )
    assert said([*bias, *before, *kept]).endswith("No method is shown to lose quality.")
    assert "lost quality" not in said([*bias, *two("original", 9, 9, metric="background")])


def test_background_numbers_are_not_counted_as_bias() -> None:
    more = [*two("original", 0.8, 1.0, metric="background"), *two("x", 0, 0.1, metric="background")]
    assert study_conclusion(record(more)).outcome is None


def test_most_methods_are_counted_rather_than_named() -> None:
    methods = [one for name in "pqrst" for one in two(name, 0.1, 0.2)]
    found = said([*ORIGINAL, *methods])
    assert re.findall("“(.)”", found) == ["p", "q", "r"]
    assert "and 2 more reduced the bias" in found


@pytest.mark.parametrize("seed", range(3))
def test_methods_without_effect_are_seldom_shown_to_have_one(seed: int) -> None:
    """Original and method are two draws of one mean with its 95 % interval."""
    random = np.random.default_rng(seed)
    wrong = 0
    for _ in range(200):
        cells = []
        for method in ("original", "hard"):
            for name in range(6):
                value = random.normal()
                cells.append(cell(method, str(name), value - 1.96, value + 1.96))
        [tally] = tallies(cells)
        wrong += tally.is_clearly("better") or tally.is_clearly("worse")
    assert wrong <= 10, "5 % of 200"
