"""Next sentences: against transformers itself, whichever output means "next", and no name helps."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unslant.core.errors import UnslantError
from unslant.models.language import classifying, plausibility
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.models.language.plausibility import held_out_pairs
from unslant.predictors.protocols import NextSentence, has_method

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

FIRSTS = (
    "The kettle began to whistle.",
    "The cat climbed the oak.",
    "The kettle began to whistle.",
    "We planted tomatoes behind the shed.",
    "The ferry leaves.",
)
SECONDS = (
    "I poured the water.",
    "It was heavy.",
    "I poured the water.",
    "By August the vines were heavy with red fruit and the children were hungry.",
    "Its rings were clearly seen.",
)
Make = Callable[..., TransformerModel]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Make:
    from tests.next_sentence_models import saved_with_heads

    known: dict[Any, TransformerModel] = {}

    def make(name: str = "model", **options: Any) -> TransformerModel:
        key = (name, *options.items())
        if key not in known:
            folder = tmp_path_factory.mktemp("models") / name
            known[key] = load_transformer(saved_with_heads(folder, **options))
        return known[key]

    return make


def by_transformers(model: TransformerModel) -> Any:
    """The outputs that transformers itself gives to each pair, one pair at a time."""
    path = model.folder.path
    network = transformers.BertForNextSentencePrediction.from_pretrained(path).eval()
    encode = model.tokens._backend.encode
    found = []
    for first, second in zip(FIRSTS, SECONDS, strict=True):
        item = encode(first, second)
        ids, parts = torch.tensor([item.ids]), torch.tensor([item.type_ids])
        assert set(item.type_ids) == {0, 1}
        with torch.inference_mode():
            found.append(network(input_ids=ids, token_type_ids=parts).logits[0].double().numpy())
    return np.array(found)


@pytest.mark.parametrize("column", [0, 1])
def test_the_log_odds_are_those_of_transformers_in_the_column_that_means_next(
    made: Make, column: int
) -> None:
    model = made(column=column)
    predictor = model.predictor(NextSentence)
    assert has_method(predictor, NextSentence)
    logits = by_transformers(model)
    expected = logits[:, column] - logits[:, 1 - column]
    assert predictor.score(FIRSTS, SECONDS) == pytest.approx(expected, abs=1e-5)
    assert predictor.facts["next-sentence-output"] == column


def test_the_columns_are_told_apart_by_a_check_and_not_by_the_name(made: Make) -> None:
    """By the name, column 0 of whatever is called bert means next: half of these would be wrong."""
    there = [made(name, column=column) for name, column in (("bert", 0), ("bert", 1))]
    other = made("roberta-large", column=1)
    scores = [each.predictor(NextSentence).score(FIRSTS, SECONDS) for each in (*there, other)]
    for each in scores[1:]:
        assert each == pytest.approx(scores[0], abs=1e-5)
    by_name = by_transformers(there[1])
    assert by_name[:, 0] - by_name[:, 1] == pytest.approx(-scores[0], abs=1e-5)


def test_a_head_that_cannot_tell_next_sentences_from_others_is_refused_with_figures(
    made: Make,
) -> None:
    model = made(is_trained=False)
    with pytest.raises(UnslantError, match=r"is undecided: of 64 held-out pairs, .* in \d+ and"):
        model.predictor(NextSentence)
    assert model.head("next-sentence") is not None  # the head itself is there


def test_the_record_has_the_figures_of_the_check(made: Make) -> None:
    model = made()
    facts = model.predictor(NextSentence).facts
    odds = plausibility.first_output_odds(model, *zip(*held_out_pairs(), strict=True))
    firsts, seconds = zip(*held_out_pairs(), strict=True)
    others = plausibility.first_output_odds(model, firsts, [*seconds[32:], *seconds[:32]])
    assert facts["next-sentence-check-pairs"] == len(odds) == 64
    assert facts["next-sentence-check-ranked-right"] == np.mean(odds > others)
    right = np.mean([*(odds > 0), *(others < 0)])
    assert facts["next-sentence-check-accuracy"] == pytest.approx(right)
    assert 0 < float(facts["next-sentence-check-p"]) < 0.01


def test_the_held_out_pairs_are_all_different_and_no_second_follows_two_firsts() -> None:
    pairs = held_out_pairs()
    assert len({text for pair in pairs for text in pair}) == 2 * len(pairs) >= 120


def test_neither_order_nor_batches_nor_repeats_matter(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    predictor = made().predictor(NextSentence)
    together = predictor.score(FIRSTS, SECONDS)
    assert together[0] == together[2]
    assert len(set(together.tolist())) == 4
    assert predictor.score(FIRSTS[::-1], SECONDS[::-1])[::-1] == pytest.approx(together, abs=1e-5)
    alone = [predictor.score([a], [b])[0] for a, b in zip(FIRSTS, SECONDS, strict=True)]
    assert alone == pytest.approx(together, abs=1e-5)
    monkeypatch.setattr(classifying, "TOKENS_IN_A_BATCH", 1)
    assert predictor.score(FIRSTS, SECONDS) == pytest.approx(together, abs=1e-5)
    assert predictor.score([], []).shape == (0,)


def test_which_part_a_piece_belongs_to_is_said_to_the_model(made: Make) -> None:
    model = made()
    network = transformers.BertForNextSentencePrediction.from_pretrained(model.folder.path).eval()
    ids = torch.tensor([model.tokens.pairs(FIRSTS[:1], SECONDS[:1])[0].ids])
    with torch.inference_mode():
        logits = network(input_ids=ids).logits[0]  # all pieces as if of the first sentence
    without = float(logits[0] - logits[1])
    assert abs(model.predictor(NextSentence).score(FIRSTS[:1], SECONDS[:1])[0] - without) > 1e-3


def test_a_tokenizer_that_does_not_mark_the_second_sentence_is_refused(made: Make) -> None:
    with pytest.raises(UnslantError, match="does not mark which pieces are of the second sentence"):
        made(is_paired=False).predictor(NextSentence)


def test_a_pair_that_is_too_long_is_named_and_not_cut(made: Make) -> None:
    predictor = made().predictor(NextSentence)
    with pytest.raises(UnslantError, match=r'"The cat climbed.*… has 10\d pieces|at most 80'):
        predictor.score(["The cat climbed."], ["It was heavy. " * 25])
    with pytest.raises(UnslantError, match="empty"):
        predictor.score(["The cat climbed."], [" "])


def test_saturated_outputs_give_no_ties(made: Make) -> None:
    """In single precision their probabilities are 1 for all of them: the published scores tie."""
    model = made(scale=400.0)
    odds = model.predictor(NextSentence).score(*zip(*held_out_pairs(), strict=True))
    sure = odds[odds > 20]
    assert len(sure) > 10
    assert len(set(sure.tolist())) == len(sure)
    as_published = 1 / (1 + np.exp(-sure.astype(np.float32)))
    assert len(set(as_published.tolist())) == 1


def test_interventions_act_below_the_head_and_the_check_is_of_the_weights(made: Make) -> None:
    from tests.models.language.with_heads import without_direction, without_nothing

    model = made()
    before = model.predictor(NextSentence).score(FIRSTS, SECONDS)
    empty = without_nothing(model, "layer:-1").predictor(NextSentence)
    assert np.array_equal(empty.score(FIRSTS, SECONDS), before)
    for place in ("layer:-1", "layer:1", "wordpieces"):
        changed = without_direction(model, place).predictor(NextSentence)
        assert np.abs(changed.score(FIRSTS, SECONDS) - before).max() > 1e-4
        assert changed.check is model.next_sentence_check
    assert np.array_equal(model.predictor(NextSentence).score(FIRSTS, SECONDS), before)


def test_a_head_that_is_missing_is_refused(tmp_path: Path) -> None:
    from tests.models.language.with_heads import saved

    model = load_transformer(saved(tmp_path / "masked-only", "bert"))
    with pytest.raises(UnslantError, match="masked-only has no next-sentence head: its weights"):
        model.predictor(NextSentence)
