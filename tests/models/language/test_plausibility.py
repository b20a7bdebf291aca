"""What goes with a context: gaps and next sentences, ours and as published."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unslant.core.errors import UnslantError
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.predictors.protocols import CausalLM, Likelihood, NextSentence, Plausibility

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CONTEXTS = ("the [MASK] was tired .", "she is [MASK]", "[MASK] sat down .", "she is [MASK]")
FILLERS = ("nurse", "herely", "he", "there")
Make = Callable[..., TransformerModel]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Make:
    from tests.models.language.with_heads import saved

    known: dict[Any, TransformerModel] = {}

    def make(kind: str) -> TransformerModel:
        if kind not in known:
            known[kind] = load_transformer(saved(tmp_path_factory.mktemp("models") / kind, kind))
        return known[kind]

    return make


@pytest.fixture(scope="module")
def with_both_heads(tmp_path_factory: pytest.TempPathFactory) -> TransformerModel:
    from tests.next_sentence_models import saved_with_heads

    return load_transformer(saved_with_heads(tmp_path_factory.mktemp("models") / "both"))


def masked_logs(model: TransformerModel, pieces: list[str], place: int) -> Any:
    """The logarithms of all pieces at a place, by transformers itself."""
    network = transformers.AutoModelForMaskedLM.from_pretrained(model.folder.path).eval()
    known = model.tokens.vocabulary
    ids = torch.tensor([[known[piece] for piece in ("[CLS]", *pieces, "[SEP]")]])
    with torch.inference_mode():
        return network(input_ids=ids).logits[0, place + 1].double().log_softmax(-1)


def test_a_filler_of_two_pieces_is_scored_from_left_to_right(made: Make) -> None:
    model = made("bert")
    known = model.tokens.vocabulary
    first = masked_logs(model, ["she", "is", "[MASK]", "[MASK]"], 2)[known["here"]]
    second = masked_logs(model, ["she", "is", "here", "[MASK]"], 3)[known["##ly"]]
    [found] = model.predictor(Plausibility).plausibility(["she is [MASK]"], ["herely"])
    assert found == pytest.approx(float(first + second), abs=1e-5)


def test_the_published_score_is_the_mean_probability_with_one_gap_at_a_time(made: Make) -> None:
    model = made("bert")
    known = model.tokens.vocabulary
    first = masked_logs(model, ["she", "is", "[MASK]", "."], 2)[known["here"]]
    second = masked_logs(model, ["she", "is", "here", "[MASK]", "."], 3)[known["##ly"]]
    by_hand = np.log(np.mean(np.exp([float(first), float(second)])))
    predictor = model.predictor(Plausibility)
    [found] = predictor.plausibility(["she is [MASK] ."], ["herely"], "published")
    assert found == pytest.approx(by_hand, abs=1e-5)
    assert abs(found - float(first + second) / 2) > 1e-3, "not the mean of logarithms"
    one = predictor.plausibility(["she is [MASK] ."], ["here"], "published")
    assert one == pytest.approx(predictor.plausibility(["she is [MASK] ."], ["here"]), abs=1e-9)


def test_a_likely_second_piece_does_not_lift_an_unlikely_word() -> None:
    """With the mean of probabilities it does: .001 and .999 would beat a word of probability .4."""
    from unslant.models.language import plausibility as published

    class Fixed:
        """Every first piece .001, every second .999, a word of one piece .4."""

        def read(self, texts: list[str]) -> list[Any]:
            from unslant.models.language.tokens import Pieces

            return [
                Pieces((1, 7, 8, 2), (1, 2), ((1, 3), (2, 3))),
                Pieces((1, 9, 2), (1,), ((1, 2),)),
            ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(published, "gap_sign", lambda model: ("[MASK]", 4))
        known = {7: 0.001, 8: 0.999, 9: 0.4}
        patch.setattr(
            published,
            "log_probabilities_of",
            lambda predictor, gaps: np.log([known[gap.piece] for gap in gaps]),
        )
        fixed: Any = Fixed()
        fixed.model = None
        rare, common = published.published_fillers(fixed, ["", ""])
    assert rare > common
    assert np.log(0.001) + np.log(0.999) < np.log(0.4), "the whole word, as ours has it"


def test_a_decoder_scores_the_whole_text(made: Make) -> None:
    model = made("llama")
    predictor, whole = model.predictor(Plausibility), model.predictor(CausalLM)
    texts = [
        context.replace("[MASK]", filler) for context, filler in zip(CONTEXTS, FILLERS, strict=True)
    ]
    logs = whole.log_likelihood(texts)
    assert predictor.plausibility(CONTEXTS, FILLERS) == pytest.approx(logs, abs=1e-4)
    means = logs / whole.pieces(texts)
    published = predictor.plausibility(CONTEXTS, FILLERS, "published")
    assert published == pytest.approx(means, abs=1e-4)


def test_next_sentences_of_a_decoder_are_odds_or_as_published_means(made: Make) -> None:
    model = made("llama")
    predictor, judge = model.predictor(Plausibility), model.predictor(NextSentence)
    firsts, seconds = ["he is here .", "she sat"], ["she was tired", "he was there and tired"]
    assert np.array_equal(predictor.plausibility(firsts, seconds), judge.score(firsts, seconds))
    published = predictor.plausibility(firsts, seconds, "published")
    assert np.array_equal(published, judge.mean_log_likelihoods(firsts, seconds))


def test_gaps_and_next_sentences_are_answered_together_each_by_its_head(
    with_both_heads: TransformerModel,
) -> None:
    predictor = with_both_heads.predictor(Plausibility)
    contexts = ["The cat [MASK] the oak.", "The ferry leaves.", "The [MASK] was heavy."]
    candidates = ["climbed", "It was heavy.", "water"]
    together = predictor.plausibility(contexts, candidates)
    odds = with_both_heads.predictor(NextSentence).score(contexts[1:2], candidates[1:2])
    logs = with_both_heads.predictor(Likelihood).log_likelihoods(
        ["The cat [[climbed]] the oak.", "The [[water]] was heavy."]
    )
    assert together == pytest.approx([logs[0], odds[0], logs[1]], abs=1e-6)
    assert predictor.facts["next-sentence-check-pairs"] == 64
    backwards = predictor.plausibility(contexts[::-1], candidates[::-1])[::-1]
    assert backwards == pytest.approx(together, abs=1e-5)


def test_a_question_for_a_head_that_is_missing_is_refused_and_the_others_are_answered(
    made: Make, tmp_path: Path
) -> None:
    predictor = made("bert").predictor(Plausibility)
    assert predictor.plausibility(CONTEXTS, FILLERS).shape == (4,)
    assert "next-sentence-output" not in predictor.facts
    with pytest.raises(UnslantError, match="has no next-sentence head"):
        predictor.plausibility(["she sat down ."], ["he is here ."])
