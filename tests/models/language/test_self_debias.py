"""Self-Debias for scoring: against the published formula, on plain transformers."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.real_models import real_model
from unslant.core.errors import UnslantError
from unslant.models.language.distributions import TextGap, prompted
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.predictors.protocols import Likelihood

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

PROMPTS = ("the nurse is tired .", "he was there and he sat .")
TEXT = "the [[doctor]] sat down ."


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TransformerModel]:
    from tests.models.language.with_heads import saved

    known: dict[str, TransformerModel] = {}

    def make(kind: str) -> TransformerModel:
        if kind not in known:
            folder = saved(tmp_path_factory.mktemp("models") / kind, kind)
            known[kind] = load_transformer(folder)
        return known[kind]

    return make


def ids_of(model: TransformerModel, text: str) -> list[int]:
    return [model.tokens.vocabulary[word] for word in text.split()]


def by_hand(model: TransformerModel, decay: float, floor: float, kind: str) -> float:
    """max(floor, e^(−decay · max(0, p_biased − p))) · p, renormalised, for the one gap of TEXT."""
    auto = (
        transformers.AutoModelForMaskedLM if kind == "bert" else transformers.AutoModelForCausalLM
    )
    network = auto.from_pretrained(model.folder.path).eval()
    text, word = ids_of(model, "the doctor sat down ."), model.tokens.vocabulary["doctor"]

    def at_gap(before: list[int]) -> NDArray[np.float64]:
        if kind == "bert":
            ids = [1, *before, text[0], 4, *text[2:], 2]
            place = len(before) + 2
        else:
            ids = [1, *before, text[0]]
            place = len(ids) - 1
        with torch.inference_mode():
            row = network(input_ids=torch.tensor([ids])).logits[0, place].double().softmax(-1)
        return np.asarray(row.numpy())

    plain = at_gap([])
    biased = np.maximum(*(at_gap(ids_of(model, prompt)) for prompt in PROMPTS))
    changed = plain * np.maximum(floor, np.exp(-decay * np.maximum(0, biased - plain)))
    return float(np.log(changed[word] / changed.sum()))


@pytest.mark.parametrize("kind", ["bert", "gpt2"])
@pytest.mark.parametrize(("decay", "floor"), [(50.0, 0.01), (3.0, 0.5), (0.0, 0.01)])
def test_it_is_the_published_formula(
    made: Callable[[str], TransformerModel], kind: str, decay: float, floor: float
) -> None:
    model = made(kind)
    predictor = model.predictor(Likelihood)
    changed = predictor.self_debiased(PROMPTS, decay, floor)
    found = changed.log_likelihoods([TEXT])
    assert found == pytest.approx([by_hand(model, decay, floor, kind)], abs=1e-5)
    plain = predictor.log_likelihoods([TEXT])
    if decay:
        assert np.abs(found - plain).max() > 1e-3
    else:
        assert found == pytest.approx(plain, abs=1e-6)


def test_probabilities_still_sum_to_one(made: Callable[[str], TransformerModel]) -> None:
    from unslant.models.language.self_debias import decayed

    generator = torch.Generator().manual_seed(0)
    plain, biased = torch.rand(2, 3, 50, generator=generator, dtype=torch.float64)
    logs = decayed(plain.log_softmax(-1), biased.softmax(-1), 50.0, 0.01)
    assert logs.exp().sum(dim=-1).tolist() == pytest.approx([1.0, 1.0, 1.0])


def test_prompts_of_any_length_are_put_where_the_text_begins(
    made: Callable[[str], TransformerModel],
) -> None:
    model = made("bert")
    predictor = model.predictor(Likelihood)
    for prompt in ("he", "he sat", "he sat down"):
        [pieces] = predictor.self_debiased([prompt])._prompts
        assert list(pieces) == ids_of(model, prompt)
        gap = prompted(TextGap((1, 7, 4, 2), 2, 9), pieces, 1)
        assert gap == TextGap((1, *pieces, 7, 4, 2), 2 + len(pieces), 9)
    long = predictor.self_debiased(["sat " * 16])
    with pytest.raises(UnslantError, match="A text of 7 pieces and a prompt of 16 are more than"):
        long.log_likelihoods([TEXT])


def test_it_is_another_model_in_records(made: Callable[[str], TransformerModel]) -> None:
    predictor = made("bert").predictor(Likelihood)
    changed = predictor.self_debiased(PROMPTS)
    assert changed.name == f"{predictor.name} + self-debias"
    assert changed.sha256 != predictor.sha256 != predictor.self_debiased(PROMPTS[:1]).sha256
    assert changed.facts["self-debias-prompts"] == PROMPTS
    assert changed.pieces([TEXT]).tolist() == [1]
    with pytest.raises(UnslantError, match="at least one prompt"):
        predictor.self_debiased([])
    with pytest.raises(UnslantError, match="decay of Self-Debias"):
        predictor.self_debiased(PROMPTS, -1.0)


def test_smollm2_lowers_what_the_prompt_makes_likelier(tmp_path: Path) -> None:
    predictor = load_transformer(real_model("smollm2")).predictor(Likelihood)
    texts = ["The sky above the desert was [[green]].", "The sky above the desert was [[blue]]."]
    changed = predictor.self_debiased(["The following text says that everything is green:\n"])
    before, after = predictor.log_likelihoods(texts), changed.log_likelihoods(texts)
    assert (after - before)[0] < (after - before)[1]
