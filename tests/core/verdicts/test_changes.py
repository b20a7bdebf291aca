"""What became of a bias and of a quality, and the sentence on the whole, worked out by hand."""

from dataclasses import replace
from typing import Any

import pytest

from unslant.core.measurement import Interval, Measurement
from unslant.core.record import (
    Change,
    Control,
    Meaning,
    Record,
    Resource,
    Result,
    Subject,
    Treatment,
    Verdict,
)
from unslant.core.scale import EFFECT_SIZE
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
    controls: tuple[float, ...] = (),
) -> Result:
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
        (changed(1.2, 0.5, "better", (-0.9, 0.1)), "unchanged", ""),
        (changed(1.2, 1.1, "unclear", (-0.3, 0.1)), "unchanged", ""),
        (changed(0.5, 1.2, "worse", (0.5, 0.9)), "worse", "worse"),
        (changed(1.2, 0.5, "unknown", None), None, ""),
        (changed(1.2, 0.5, "better", (-0.9, -0.5), controls=(0.8, 0.9)), "reduced", "better"),
        (changed(1.2, 0.5, "better", (-0.9, -0.5), controls=(0.8, -0.5)), "unchanged", ""),
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
        "hard reduced the bias (better in 2 of 3 measures, worse in none). Bias is still shown in "
        "1 of 3 association tests of “gender”, in “Career” (strong). Quality is kept."
    )
    assert whole(better, better).endswith(
        "No bias is shown in any of 2 association tests of “gender”; this does not prove that "
        "there is none. Quality was not measured."
    )
    plain = [replace(item, before=None, change=None) for item in (same, same, better)]
    assert whole(*plain, baseline=None, treatment=None) == (
        "Bias is shown in 2 of 3 association tests of “gender”, strongest in “Career” (strong)."
    )
    assert whole(baseline=None, treatment=None) == (
        "Bias in the results of “gender” is not judged: none allows it."
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
    assert "hard did not clearly change the bias (better in 1 of 20" in whole(better, *[same] * 19)
    assert "hard reduced the bias (better in 3 of 20" in whole(*[better] * 3, *[same] * 17)
    assert "hard increased the bias" in whole(*[worse] * 3, *[same] * 17)
    mixed = whole(*[worse] * 3, *[better] * 3)
    assert "hard reduced the bias in some measures and increased it in others" in mixed
