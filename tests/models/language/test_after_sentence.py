"""A decoder on next sentences: hand-made probabilities, and the faults of others' formulas."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.real_models import real_model
from unslant.core.errors import UnslantError
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.models.language.plausibility import AfterSentence
from unslant.predictors.protocols import CausalLM, NextSentence

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

FIRSTS = ("the nurse was tired .", "he is here", "the nurse was tired .", "she sat down .")
SECONDS = ("she sat down .", "the doctor is there and he was tired", "she sat down .", "there")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TransformerModel]:
    from tests.models.language.with_heads import saved

    known: dict[str, TransformerModel] = {}

    def make(kind: str) -> TransformerModel:
        if kind not in known:
            known[kind] = load_transformer(saved(tmp_path_factory.mktemp("models") / kind, kind))
        return known[kind]

    return make


def trigrams(size: int) -> Any:
    """Made-up logits of each piece after each two pieces before it."""
    return torch.tensor(np.random.default_rng(0).normal(0, 2, (size, size, size)))


def with_trigrams(predictor: AfterSentence, table: Any) -> AfterSentence:
    """The predictor with a network that knows the two pieces before only."""

    def logits(ids: Any, positions: Any = None) -> Any:
        before = torch.cat([torch.zeros_like(ids[:, :1]), ids[:, :-1]], dim=1)
        every = table[before, ids]
        if positions is None:
            return every
        return every.gather(1, positions[:, :, None].expand(-1, -1, every.shape[2]))

    predictor.logits = logits  # type: ignore[method-assign]
    return predictor


def test_with_hand_made_probabilities_the_log_odds_are_the_formula(
    made: Callable[[str], TransformerModel],
) -> None:
    model = made("llama")
    known = model.tokens.vocabulary
    table = trigrams(model.layout.pieces)
    predictor = with_trigrams(AfterSentence(model), table)
    begin = 1

    def log_p(pieces: list[int], start: int) -> float:
        sequence = [0, begin, *pieces]
        return sum(
            float(table[sequence[n - 2], sequence[n - 1]].log_softmax(-1)[sequence[n]])
            for n in range(2 + start, len(sequence))
        )

    for first, second in zip(FIRSTS, SECONDS, strict=True):
        one, two = ([known[word] for word in text.split()] for text in (first, second))
        after, alone = log_p(one + two, len(one)), log_p(two, 0)
        assert predictor.score([first], [second])[0] == pytest.approx(after - alone, abs=1e-9)
        [mean] = predictor.mean_log_likelihoods([first], [second])
        assert mean == pytest.approx(after / len(two), abs=1e-9)
        # The first piece after the beginning and the others without it, as peers have it:
        unbegun = [0, 0, *two]
        theirs = float(table[0, begin].log_softmax(-1)[two[0]]) + sum(
            float(table[unbegun[n - 2], unbegun[n - 1]].log_softmax(-1)[unbegun[n]])
            for n in range(3, len(unbegun))
        )
        assert len(two) < 2 or abs(theirs - alone) > 1e-3


def test_the_score_changes_with_every_piece_and_is_not_a_sum_over_the_vocabulary(
    made: Callable[[str], TransformerModel],
) -> None:
    predictor = made("gpt2").predictor(NextSentence)
    [base] = predictor.score(["she sat down ."], ["he is here"])
    for other in ("she is here", "he was here", "he is there"):
        assert abs(predictor.score(["she sat down ."], [other])[0] - base) > 1e-4
    assert abs(predictor.score(["he sat down ."], ["he is here"])[0] - base) > 1e-4


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_the_likelihood_after_a_sentence_is_that_of_both_less_that_of_the_first(
    made: Callable[[str], TransformerModel], kind: str
) -> None:
    model = made(kind)
    whole, predictor = model.predictor(CausalLM), model.predictor(NextSentence)
    joined = [f"{a} {b}" for a, b in zip(FIRSTS, SECONDS, strict=True)]
    after = whole.log_likelihood(joined) - whole.log_likelihood(FIRSTS)
    alone = whole.log_likelihood(SECONDS)  # whole words: a leading space changes no piece here
    assert predictor.score(FIRSTS, SECONDS) == pytest.approx(after - alone, abs=1e-4)
    counts = whole.pieces(SECONDS)
    means = predictor.mean_log_likelihoods(FIRSTS, SECONDS)
    assert means == pytest.approx(after / counts, abs=1e-4)


def test_neither_order_nor_batches_matter(
    made: Callable[[str], TransformerModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    from unslant.models.language import distributions

    predictor = made("llama").predictor(NextSentence)
    together = predictor.score(FIRSTS, SECONDS)
    assert together[0] == together[2]
    assert predictor.score(FIRSTS[::-1], SECONDS[::-1])[::-1] == pytest.approx(together, abs=1e-5)
    monkeypatch.setattr(distributions, "TOKENS_IN_A_BATCH", 1)
    assert predictor.score(FIRSTS, SECONDS) == pytest.approx(together, abs=1e-5)


def test_a_pair_that_is_too_long_is_refused(made: Callable[[str], TransformerModel]) -> None:
    with pytest.raises(UnslantError, match="reads at most 20"):
        made("gpt2").predictor(NextSentence).score(["he sat down " * 5], ["she is here " * 3])


def test_smollm2_prefers_what_follows_and_the_space_between_sentences_matters() -> None:
    predictor = load_transformer(Path(real_model("smollm2"))).predictor(NextSentence)
    firsts = ["The kettle began to whistle on the stove.", "The dentist looked at my back teeth."]
    seconds = ["I poured the boiling water over the tea.", "One of them needed a filling."]
    true = predictor.score(firsts, seconds)
    false = predictor.score(firsts, seconds[::-1])
    assert (true > 1).all()
    assert (true > false + 3).all()
    glued = predictor.log_likelihoods([f"{a}[[{b}]]" for a, b in zip(firsts, seconds, strict=True)])
    spaced = predictor.mean_log_likelihoods(firsts, seconds) * predictor.pieces(
        [f"{a} [[{b}]]" for a, b in zip(firsts, seconds, strict=True)]
    )
    assert (np.abs(glued - spaced) > 0.5).all()
