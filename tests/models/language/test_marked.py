"""Likelihoods of marked words: against plain transformers, asked one piece at a time."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.real_models import real_model
from unslant.core.errors import UnslantError
from unslant.models.language import distributions
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.predictors.protocols import Likelihood, has_method

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

BERT = (
    "the [[nurse]] is here .",
    "[[the]] nurse [[is here .]]",
    "she is [[herely]] and [[tireder]] .",
    "the [[doctor]] is here .",
    "[[he was tired and he sat down .]]",
    "the [[nurse]] is here .",
)
ROBERTA = (
    "[[The]] nurse [[said that she was tired.]]",
    "The schoolteacher's [[engineer-like]] nurse, [[he]] said.",
    "The [[doctor]] was here.",
    "The [[nurse]] was here.",
)
DECODER = ("the [[nurse]] is [[here .]]", "[[he sat down]] .", "the nurse is [[tireder]]")
Make = Callable[[str], TransformerModel]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Make:
    from tests.models.language.byte_pieces import saved_roberta
    from tests.models.language.with_heads import saved

    known: dict[str, TransformerModel] = {}

    def make(kind: str) -> TransformerModel:
        if kind not in known:
            folder = tmp_path_factory.mktemp("models") / kind
            made = saved_roberta(folder) if kind == "roberta" else saved(folder, kind)
            known[kind] = load_transformer(made)
        return known[kind]

    return make


def words_of(text: str) -> list[tuple[int, int, bool]]:
    """Where each word of a text without marks begins and ends, and whether it is marked."""
    letters: list[tuple[str, bool]] = []
    is_marked = False
    for part in re.split(r"(\[\[|\]\])", text):
        if part in ("[[", "]]"):
            is_marked = part == "[["
        else:
            letters += [(letter, is_marked) for letter in part]
    found: list[tuple[int, int, bool]] = []
    is_inside = False
    for place, (letter, marked) in enumerate(letters):
        is_letter = letter.isalnum() or letter in "'-"
        if is_letter and is_inside:
            found[-1] = (found[-1][0], place + 1, found[-1][2])
        elif not letter.isspace():
            found.append((place, place + 1, marked))
        is_inside = is_letter
    return found


def one_by_one(folder: Path, text: str, masking: str) -> float:
    """The sum over marked pieces, one pass for each, with logits everywhere."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    encoded = tokenizer.encode(text.replace("[[", "").replace("]]", ""))
    sign = tokenizer.token_to_id("[MASK]") or tokenizer.token_to_id("<mask>")
    network = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    words = [
        [n for n, (a, b) in enumerate(encoded.offsets) if a < end and b > start]
        for start, end, is_marked in words_of(text)
        if is_marked
    ]
    every = [place for word in words for place in word]
    logs = []
    for word in words:
        for number, place in enumerate(word):
            # minicons' rule (within_word_l2r): what follows in the tokenizer's own word is hidden.
            own = encoded.word_ids
            run = [n for n in range(place, len(own)) if own[n] == own[place]]
            hidden = {
                "words": word[number:],
                "tokenizer-words": run,
                "pieces": [place],
                "span": every,
                "none": [],
            }[masking]
            ids = [sign if n in hidden else piece for n, piece in enumerate(encoded.ids)]
            with torch.inference_mode():
                row = network(input_ids=torch.tensor([ids])).logits[0, place].double()
            logs.append(float(row[encoded.ids[place]] - row.logsumexp(0)))
    return sum(logs) / (len(logs) if masking == "none" else 1)


@pytest.mark.parametrize("masking", ["words", "tokenizer-words", "pieces", "span", "none"])
@pytest.mark.parametrize(("kind", "texts"), [("bert", BERT), ("roberta", ROBERTA)])
def test_every_masking_is_what_plain_transformers_gives_one_piece_at_a_time(
    made: Make, kind: str, texts: tuple[str, ...], masking: Any
) -> None:
    model = made(kind)
    found = model.predictor(Likelihood).log_likelihoods(texts, masking)
    wanted = [one_by_one(model.folder.path, text, masking) for text in texts]
    assert found == pytest.approx(wanted, abs=1e-5)
    assert np.ptp(found) > 0.1


def test_only_words_with_a_hyphen_or_an_apostrophe_differ_by_whose_words_are_scored(
    made: Make,
) -> None:
    predictor = made("roberta").predictor(Likelihood)
    ours, theirs = (
        predictor.log_likelihoods(ROBERTA, masking) for masking in ("words", "tokenizer-words")
    )
    is_same = np.isclose(ours, theirs, atol=1e-6)
    assert is_same.tolist() == [True, False, True, True]  # the second has engineer-like


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_decoder_reads_the_beginning_and_all_that_precedes(made: Make, kind: str) -> None:
    model = made(kind)
    network = transformers.AutoModelForCausalLM.from_pretrained(model.folder.path).eval()
    predictor = model.predictor(Likelihood)
    for text in DECODER:
        pieces = model.tokens.of([text])[0]
        with torch.inference_mode():
            logs = network(input_ids=torch.tensor([[1, *pieces.ids]])).logits[0].log_softmax(-1)
        wanted = sum(float(logs[place, pieces.ids[place]]) for place, _ in pieces.marked)
        for masking in ("words", "tokenizer-words", "pieces", "span"):
            assert predictor.log_likelihoods([text], masking) == pytest.approx([wanted], abs=1e-5)
        mean = wanted / len(pieces.marked)
        assert predictor.log_likelihoods([text], "none") == pytest.approx([mean], abs=1e-5)
        assert predictor.pieces([text]).tolist() == [len(pieces.marked)]
    with pytest.raises(UnslantError, match="weighting by attention is not defined"):
        predictor.log_likelihoods(DECODER, "attention")
    with pytest.raises(UnslantError, match="is a decoder, which has no sign"):
        predictor.log_likelihoods(["the [MASK] [[sat]]"])


def test_the_parts_of_a_text_are_together_as_likely_as_the_whole(made: Make) -> None:
    predictor = made("llama").predictor(Likelihood)
    first, second, whole = predictor.log_likelihoods(
        ["[[the nurse]] sat down", "the nurse [[sat down]]", "[[the nurse sat down]]"]
    )
    assert first + second == pytest.approx(whole, abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "texts"), [("bert", BERT), ("roberta", ROBERTA), ("gpt2", DECODER)]
)
def test_neither_order_nor_batches_nor_other_texts_matter(
    made: Make, kind: str, texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    predictor = made(kind).predictor(Likelihood)
    together = predictor.log_likelihoods(texts)
    assert predictor.log_likelihoods(texts[::-1])[::-1] == pytest.approx(together, abs=1e-5)
    alone = [predictor.log_likelihoods([text])[0] for text in texts]
    assert alone == pytest.approx(together, abs=1e-5)
    monkeypatch.setattr(distributions, "NUMBERS_IN_A_BATCH", 1)
    assert predictor.log_likelihoods(texts) == pytest.approx(together, abs=1e-5)


def test_candidates_of_one_piece_share_the_sentence_in_which_they_are_hidden(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    predictor = made("bert").predictor(Likelihood)
    passed: list[tuple[int, int]] = []
    logits = predictor.logits

    def counted(ids: Any, positions: Any = None) -> Any:
        found = logits(ids, positions)
        passed.append((len(ids), found.shape[1]))
        return found

    monkeypatch.setattr(predictor, "logits", counted)
    predictor.log_likelihoods([f"the [[{word}]] sat down ." for word in ("nurse", "doctor", "he")])
    assert passed == [(1, 1)]  # one sentence, and the head at one place


def test_a_word_is_scored_from_left_to_right_so_predictable_pieces_add_nothing(made: Make) -> None:
    predictor = made("bert").predictor(Likelihood)
    text = ["she is [[herely]] ."]
    words, pieces = (predictor.log_likelihoods(text, way)[0] for way in ("words", "pieces"))
    ids = made("bert").tokens.of(text)[0]
    assert len(ids.marked) == 2
    assert [end for _, end in ids.marked] == [5, 5]
    assert words != pytest.approx(pieces, abs=1e-3)  # the first piece must not see the second


def test_the_softmax_is_over_the_vocabulary(made: Make) -> None:
    from tests.models.language.with_heads import VOCABULARY

    predictor = made("bert").predictor(Likelihood)
    words = [word for word in VOCABULARY if word.isalpha()]
    logs = predictor.log_likelihoods([f"the [[{word}]] was here ." for word in words], "span")
    assert 0.2 < np.exp(logs).sum() <= 1  # the rest are pieces that no text gives


def test_one_other_piece_changes_the_sum_by_its_own_logarithms(made: Make) -> None:
    predictor = made("gpt2").predictor(Likelihood)
    nurse, doctor = predictor.log_likelihoods(["the [[nurse]]", "the [[doctor]]"])
    both = predictor.log_likelihoods(["[[the nurse]]", "[[the doctor]]"])
    assert both[0] - both[1] == pytest.approx(nurse - doctor, abs=1e-5)
    assert nurse != pytest.approx(doctor, abs=1e-3)


def test_weights_by_attention_are_those_of_the_network_and_sum_to_one(made: Make) -> None:
    model = made("bert")
    text = "[[the nurse is here .]]"
    network = transformers.AutoModelForMaskedLM.from_pretrained(
        model.folder.path, attn_implementation="eager"
    ).eval()
    ids = model.tokens.of([text])[0].ids
    with torch.inference_mode():
        out = network(input_ids=torch.tensor([ids]), output_attentions=True)
    logs = out.logits[0].log_softmax(-1)[range(len(ids)), list(ids)][1:-1].double().numpy()
    given = torch.cat(out.attentions).mean(dim=(0, 1, 2)).double().numpy()[1:-1]
    predictor = model.predictor(Likelihood)
    [ours] = predictor.log_likelihoods([text], "attention")
    [published] = predictor.log_likelihoods([text], "published-attention")
    assert ours == pytest.approx(logs @ given / given.sum(), abs=1e-5)
    assert published == pytest.approx((logs * given).mean(), abs=1e-5)


def test_a_gap_stays_hidden(made: Make) -> None:
    for kind in ("bert", "roberta"):
        model = made(kind)
        texts = ["the [[nurse]] was [MASK] .", "the [[nurse]] was here ."]
        gap, full = model.predictor(Likelihood).log_likelihoods(texts)
        assert gap != pytest.approx(full, abs=1e-4)
    model = made("bert")
    known = model.tokens.vocabulary
    network = transformers.AutoModelForMaskedLM.from_pretrained(model.folder.path).eval()
    ids = [1, known["the"], 4, known["was"], 4, known["."], 2]
    with torch.inference_mode():
        logs = network(input_ids=torch.tensor([ids])).logits[0, 2].log_softmax(-1)
    found = model.predictor(Likelihood).log_likelihoods(["the [[nurse]] was [MASK] ."])
    assert found == pytest.approx([float(logs[known["nurse"]])], abs=1e-5)


@pytest.mark.parametrize(("kind", "texts"), [("bert", BERT), ("gpt2", DECODER)])
def test_interventions_are_in_effect(made: Make, kind: str, texts: tuple[str, ...]) -> None:
    from tests.models.language.with_heads import without_direction, without_nothing

    model = made(kind)
    before = model.predictor(Likelihood).log_likelihoods(texts)
    same = without_nothing(model, "layer:-1").predictor(Likelihood).log_likelihoods(texts)
    assert same == pytest.approx(before, abs=1e-6)
    for place in ("layer:-1", "layer:1", "wordpieces", "layer:2.value"):
        changed = without_direction(model, place).predictor(Likelihood).log_likelihoods(texts)
        assert np.abs(changed - before).max() > 1e-4
    assert np.array_equal(model.predictor(Likelihood).log_likelihoods(texts), before)


def test_other_weights_give_other_numbers_and_another_hash(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    from tests.models.language.with_heads import saved

    folder = saved(tmp_path / "bert", "bert")
    before = load_transformer(folder).predictor(Likelihood)
    texts, sha256 = before.log_likelihoods(BERT), before.sha256
    path = folder / "model.safetensors"
    arrays = load_file(path)
    name = "bert.encoder.layer.0.output.dense.weight"
    arrays[name] = arrays[name].flip(0)
    save_file(arrays, path, metadata={"format": "pt"})
    after = load_transformer(folder).predictor(Likelihood)
    assert after.sha256 != sha256
    assert np.abs(after.log_likelihoods(BERT) - texts).max() > 1e-3


def test_what_cannot_be_asked_is_refused(made: Make, tmp_path: Path) -> None:
    from tests.models.language.with_heads import saved

    with pytest.raises(UnslantError, match="has no masked head"):
        load_transformer(saved(tmp_path / "bare", "bert", head=False)).predictor(Likelihood)
    predictor = made("bert").predictor(Likelihood)
    assert has_method(predictor, Likelihood)
    assert (predictor.is_causal, made("gpt2").predictor(Likelihood).is_causal) == (False, True)
    with pytest.raises(UnslantError, match="No word is marked"):
        predictor.log_likelihoods(["the nurse sat"])
    with pytest.raises(UnslantError, match="reads at most 20"):
        predictor.log_likelihoods(["the [[nurse]] " + "sat " * 30])
    with pytest.raises(UnslantError, match="21 pieces with the sign for its beginning"):
        made("gpt2").predictor(Likelihood).log_likelihoods(["[[sat]] " + "sat " * 19])


def test_smollm2_finds_the_true_word_likelier(tmp_path: Path) -> None:
    model = load_transformer(real_model("smollm2"))
    predictor = model.predictor(Likelihood)
    texts = ["The capital of France is [[Paris]].", "The capital of France is [[table]]."]
    right, wrong = predictor.log_likelihoods(texts)
    assert right > wrong + 5
    network = transformers.AutoModelForCausalLM.from_pretrained(
        real_model("smollm2"), dtype=torch.float32
    ).eval()
    pieces = model.tokens.of(texts[:1])[0]
    begin = model.folder.config["bos_token_id"]
    with torch.inference_mode():
        logs = network(input_ids=torch.tensor([[begin, *pieces.ids]])).logits[0].log_softmax(-1)
    wanted = sum(float(logs[place, pieces.ids[place]]) for place, _ in pieces.marked)
    assert right == pytest.approx(wanted, abs=1e-4)
