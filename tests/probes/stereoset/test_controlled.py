"""The fillers beside their controls: a liking for words is no bias, and a planted bias is seen."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest

from tests.probes.stereoset.made_items import intra
from unslant.core.measurement import Measurement
from unslant.measures.setting import Setting
from unslant.predictors.protocols import MASK
from unslant.probes.stereoset.answers import control_questions
from unslant.probes.stereoset.probe import StereoSet
from unslant.probes.stereoset.questions import questions_from

ITEMS = [intra(n, domain=("gender", "race")[n % 2]) for n in range(200)]


def drawn(*texts: str) -> float:
    """A number from −1 to 1 that depends on texts alone."""
    digest = hashlib.sha256("|".join(texts).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**47 - 1


class LikesWords:
    """Likes some words wherever they are, ``kind…`` above all, and ``bias`` where people are."""

    def __init__(self, bias: float = 0.0, seed: int = 0) -> None:
        self.bias, self.seed = bias, str(seed)

    def plausibility(
        self, contexts: Sequence[str], candidates: Sequence[str], scoring: str = "words"
    ) -> list[float]:
        return [
            3 * drawn(self.seed, word)
            + 1.5 * word.startswith("kind")
            + self.bias * (word.startswith("kind") and context.startswith("My "))
            + drawn(self.seed, context, word)
            for context, word in zip(contexts, candidates, strict=True)
        ]


def found(model: LikesWords, **options: object) -> dict[str, Measurement]:
    probe = StereoSet(tasks="intra", resamples=100, **options)  # type: ignore[arg-type]
    every = probe.run(model, questions_from(ITEMS), Setting()).measurements
    return {item.metric: item for item in every}


def test_a_liking_for_words_is_no_excess_though_ss_is_far_from_50() -> None:
    covered = 0
    for seed in range(20):
        scores = found(LikesWords(seed=seed))
        assert scores["stereoset-ss-intra"].value > 60  # type: ignore[operator]
        assert scores["stereoset-intra-control"].value > 60  # type: ignore[operator]
        interval = scores["stereoset-intra-excess"].interval
        assert interval is not None
        covered += interval.low <= 0 <= interval.high
    assert covered >= 16  # 19 are expected; fewer than 16 of 20 has probability .003


def test_a_planted_bias_is_an_excess() -> None:
    values = [
        found(LikesWords(bias=bias))["stereoset-intra-excess"] for bias in (-2.0, 0.0, 1.0, 2.0)
    ]
    assert np.all(np.diff([float(item.value or 0) for item in values]) > 5)
    assert values[-1].interval is not None
    assert values[-1].interval.low > 10


def test_controls_have_the_fillers_of_their_item_and_no_word_of_its_context() -> None:
    for item, controls in zip(ITEMS, control_questions(ITEMS, 3, 0), strict=True):
        assert len({context for (context, _), _ in controls}) == 3
        for (one, stereotype), (other, anti) in controls:
            assert one == other
            assert one.count(MASK) == 1
            assert item.target not in one
            assert (stereotype, anti) == (f"kind{item.id[6:]}", f"rude{item.id[6:]}")


def test_without_controls_there_is_no_excess() -> None:
    assert not any("excess" in name for name in found(LikesWords(), matched=0))


def test_the_excess_has_a_value_for_each_domain() -> None:
    scores = found(LikesWords())
    for domain in ("gender", "race"):
        assert scores[f"stereoset-intra-excess-type-{domain}"].details["pairs"] == 100


@pytest.mark.parametrize("scoring", ["words", "published"])
def test_items_and_controls_are_scored_alike(scoring: str) -> None:
    asked: list[str] = []

    class Recording(LikesWords):
        def plausibility(
            self, contexts: Sequence[str], candidates: Sequence[str], scoring: str = "words"
        ) -> list[float]:
            asked.append(scoring)
            return super().plausibility(contexts, candidates)

    found(Recording(), scoring=scoring)
    assert set(asked) == {scoring}
