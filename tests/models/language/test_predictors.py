"""Language models as predictors: against transformers itself, by the laws of probability."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.real_models import real_model
from unslant.core.errors import UnslantError
from unslant.models.language import likelihood
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.predictors.protocols import CausalLM, GapFiller, MaskedLM, NliModel, has_method

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

TEXTS = (
    "the nurse is here .",
    "she sat down .",
    "the nurse is here .",
    "he was tired and he sat down .",
    "the doctor was there .",
)
REAL = (
    "The train to the coast leaves every hour.",
    "Salt was once so valuable that it was used as money.",
    "He walked to work because the bus was late again.",
)
Make = Callable[..., TransformerModel]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Make:
    from tests.models.language.with_heads import saved

    known: dict[Any, TransformerModel] = {}

    def make(kind: str, **options: bool) -> TransformerModel:
        key = (kind, *options.items())
        if key not in known:
            known[key] = load_transformer(
                saved(tmp_path_factory.mktemp("models") / kind, kind, **options)
            )
        return known[key]

    return make


def summed_loss(folder: Path, begin: int, ids: list[int]) -> float:
    """The negative loss that transformers itself reports, as a sum."""
    network = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    pieces = torch.tensor([[begin, *ids]])
    with torch.inference_mode():
        return -float(network(input_ids=pieces, labels=pieces).loss) * len(ids)


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
def test_the_likelihood_of_a_text_is_the_loss_of_transformers(made: Make, kind: str) -> None:
    model = made(kind)
    predictor = model.predictor(CausalLM)
    found = predictor.log_likelihood(TEXTS)
    for text, value, count in zip(TEXTS, found, predictor.pieces(TEXTS), strict=True):
        ids = list(model.tokens.of([text])[0].ids)
        assert count == len(ids)
        assert value == pytest.approx(summed_loss(model.folder.path, 1, ids), abs=1e-4)
        assert value < 0


def test_all_continuations_together_are_as_likely_as_the_beginning(made: Make) -> None:
    model = made("llama")
    predictor = model.predictor(CausalLM)
    begun = [1, 7, 9]
    pieces = model.layout.pieces
    longer = predictor._scored([[*begun, number] for number in range(pieces)])
    assert np.exp(longer).sum() == pytest.approx(np.exp(predictor._scored([begun])[0]), rel=1e-5)


def test_a_beginning_that_the_tokenizer_writes_is_not_written_twice(made: Make) -> None:
    plain, begun = made("llama").predictor(CausalLM), made("llama", is_begun=True)
    predictor = begun.predictor(CausalLM)
    assert predictor.log_likelihood(TEXTS) == pytest.approx(plain.log_likelihood(TEXTS), abs=1e-9)
    assert predictor.pieces(TEXTS).tolist() == plain.pieces(TEXTS).tolist()


def test_a_filler_has_the_probability_that_transformers_gives_it(made: Make) -> None:
    model = made("bert")
    predictor = model.predictor(MaskedLM)
    network = transformers.AutoModelForMaskedLM.from_pretrained(model.folder.path).eval()
    known = model.tokens.vocabulary
    words = ["nurse", "doctor", "here", "the"]
    ids = torch.tensor([[1, known["the"], 4, known["sat"], known["down"], 2]])
    with torch.inference_mode():
        logs = network(input_ids=ids).logits[0, 2].log_softmax(-1)
    found = predictor.log_probabilities(["the [MASK] sat down"] * 4, words)
    assert found == pytest.approx([float(logs[known[word]]) for word in words], abs=1e-5)


def test_a_filler_of_two_pieces_is_masked_as_a_whole(made: Make) -> None:
    model = made("bert")
    network = transformers.AutoModelForMaskedLM.from_pretrained(model.folder.path).eval()
    known = model.tokens.vocabulary
    ids = torch.tensor([[1, known["she"], known["is"], 4, 4, 2]])
    with torch.inference_mode():
        logs = network(input_ids=ids).logits[0].log_softmax(-1)
    by_hand = float(logs[3, known["here"]] + logs[4, known["##ly"]])
    [found] = model.predictor(MaskedLM).log_probabilities(["she is [MASK]"], ["herely"])
    assert found == pytest.approx(by_hand, abs=1e-5)


def test_only_the_most_probable_filler_is_recovered(made: Make) -> None:
    from tests.models.language.with_heads import VOCABULARY

    predictor = made("bert").predictor(GapFiller)
    words = [piece for piece in VOCABULARY if piece.isalpha()]
    recovered = 0.0
    for text in ("the [MASK] was tired .", "she [MASK] down", "[MASK] is here", "he was [MASK] ."):
        texts = [text] * len(words)
        logs, hits = predictor.log_probabilities(texts, words), predictor.recovers(texts, words)
        assert np.exp(logs).sum() <= 1
        assert set(hits) <= {0.0, 1.0}
        assert hits.sum() <= 1
        assert not hits.any() or hits.argmax() == logs.argmax()
        recovered += hits.sum()
    assert recovered > 0  # the others' best guesses are pieces that are no words


@pytest.mark.parametrize("kind", ["llama", "bert"])
def test_neither_the_order_nor_the_size_of_batches_matters(
    made: Make, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = made(kind)

    def asked(texts: tuple[str, ...]) -> Any:
        if kind == "llama":
            return model.predictor(CausalLM).log_likelihood(texts)
        gaps = [f"{text} [MASK]" for text in texts]
        return model.predictor(MaskedLM).log_probabilities(gaps, ["nurse"] * len(texts))

    together = asked(TEXTS)
    assert together[0] == together[2]
    assert asked(TEXTS[::-1])[::-1] == pytest.approx(together, abs=1e-5)
    assert [asked((text,))[0] for text in TEXTS] == pytest.approx(together, abs=1e-5)
    monkeypatch.setattr(likelihood, "NUMBERS_IN_A_BATCH", 1)
    assert asked(TEXTS) == pytest.approx(together, abs=1e-5)


def test_each_distinct_text_passes_through_the_network_once(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    predictor = made("llama").predictor(CausalLM)
    passed: list[int] = []
    logits = predictor.logits

    def counted(ids: Any) -> Any:
        passed.append(len(ids))
        return logits(ids)

    monkeypatch.setattr(predictor, "logits", counted)
    predictor.log_likelihood([*TEXTS, *TEXTS])
    assert sum(passed) == len(set(TEXTS))


@pytest.mark.parametrize(("kind", "need"), [("llama", CausalLM), ("bert", MaskedLM)])
def test_interventions_act_below_the_head_and_an_empty_one_changes_no_bit(
    made: Make, kind: str, need: type[Any]
) -> None:
    from tests.models.language.with_heads import without_direction, without_nothing

    model = made(kind)

    def asked(given: TransformerModel) -> Any:
        predictor = given.predictor(need)
        if need is CausalLM:
            return predictor.log_likelihood(TEXTS)
        return predictor.log_probabilities(["the [MASK] sat down ."], ["nurse"])

    before = asked(model)
    assert np.array_equal(asked(without_nothing(model, "layer:-1")), before)
    for place in ("layer:-1", "layer:1", "wordpieces"):
        changed = asked(without_direction(model, place))
        assert np.abs(changed - before).max() > 1e-4
    assert np.array_equal(asked(model), before)


def test_a_head_is_read_once_and_shares_the_weights_of_the_base(made: Make) -> None:
    from tests.models.language.with_heads import without_direction

    model = made("llama")
    net = model.head("causal")
    assert net is model.head("causal")
    assert net is without_direction(model, "layer:-1").head("causal")
    table = model.network.embed_tokens.weight
    assert net.model.embed_tokens.weight is table
    assert net.lm_head.weight is table
    mine = {id(value) for value in model.network.parameters()}
    assert all(id(value) in mine for value in net.parameters())


def test_a_head_that_is_missing_or_of_another_kind_is_refused(made: Make) -> None:
    with pytest.raises(UnslantError, match=r"bert has no masked head: its weights lack cls\."):
        made("bert", head=False).predictor(MaskedLM)
    with pytest.raises(UnslantError, match="reads a text in both directions"):
        made("bert").predictor(CausalLM)
    with pytest.raises(UnslantError, match="llama is a llama, which has no masked head"):
        made("llama").predictor(MaskedLM)
    with pytest.raises(UnslantError, match="llama has no sequence head: its weights lack"):
        made("llama").predictor(NliModel)


@pytest.mark.parametrize(
    ("text", "filler", "said"),
    [
        ("no gap here", "nurse", "has 0 gaps; expected exactly one"),
        ("the [MASK] and the [MASK]", "nurse", "has 2 gaps"),
        ("the [MASK] sat", " ", "is empty; expected a word"),
        ("the [MASK] " + "sat " * 30, "nurse", "reads at most 20"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(
    made: Make, text: str, filler: str, said: str
) -> None:
    with pytest.raises(UnslantError, match=said):
        made("bert").predictor(MaskedLM).log_probabilities([text], [filler])


def test_a_text_that_its_beginning_makes_too_long_is_refused(made: Make) -> None:
    predictor = made("gpt2").predictor(CausalLM)
    assert predictor.pieces(["sat " * 19]).tolist() == [19]
    with pytest.raises(UnslantError, match="21 pieces with the sign for its beginning"):
        predictor.log_likelihood(["sat " * 20])


def test_it_has_the_methods_of_the_protocols_and_says_who_answered(made: Make) -> None:
    causal, masked = made("llama").predictor(CausalLM), made("bert").predictor(GapFiller)
    assert has_method(causal, CausalLM)
    assert has_method(masked, MaskedLM)
    assert has_method(masked, GapFiller)
    assert (causal.name, causal.facts["head"]) == ("llama", "causal")
    assert causal.sha256 == made("llama").content_hash


def test_smollm2_gives_three_sentences_the_loss_that_transformers_gives_them() -> None:
    model = load_transformer(real_model("smollm2"))
    predictor = model.predictor(CausalLM)
    found = predictor.log_likelihood(REAL)
    by_transformers = [
        summed_loss(model.folder.path, 1, list(model.tokens.of([text])[0].ids)) for text in REAL
    ]
    assert found == pytest.approx(by_transformers, abs=1e-3)
    shuffled = " ".join(sorted(REAL[1].split()))
    assert predictor.log_likelihood([shuffled])[0] < found[1]


def test_the_real_encoder_has_no_head_to_ask() -> None:
    with pytest.raises(UnslantError, match="minilm has no masked head"):
        load_transformer(real_model("minilm")).predictor(MaskedLM)


def test_a_word_is_recovered_only_if_all_its_pieces_are(made: Make) -> None:
    model = made("bert")
    network = transformers.AutoModelForMaskedLM.from_pretrained(model.folder.path).eval()
    known = model.tokens.vocabulary
    pieces = {number: piece for piece, number in known.items()}
    tried = 0
    for start in ("she", "he", "the nurse", "the doctor", "here"):
        before = [known[word] for word in start.split()]
        ids = torch.tensor([[1, *before, 4, 4, 2]])
        with torch.inference_mode():
            first, second = network(input_ids=ids).logits[0, -3:-1].argmax(-1).tolist()
        if pieces[first].isalpha() and second != known["##ly"]:  # only the first piece is right
            tried += 1
            word = f"{pieces[first]}ly"
            assert model.predictor(GapFiller).recovers([f"{start} [MASK]"], [word]) == [0.0]
    assert tried
