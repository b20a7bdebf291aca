"""A model without a head answers no probe that needs one, whatever the probe."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from pathlib import Path

from tests.attacks.sentences import is_one_sentence
from tests.models.language.folders import save
from tests.tallies import Tally
from unslant.core.errors import UnslantError
from unslant.measures.registry import MEASURES
from unslant.models.language.model import load_model
from unslant.predictors.protocols import NameInContext, Plausibility

PROBES = sorted(entry.name for entry in MEASURES if entry.facts.takes == "set")


@pytest.mark.parametrize("kind", ["bert", "roberta", "albert", "gpt2"])
def test_no_probe_gets_an_answer_from_a_model_without_heads(
    kind: str, tmp_path: Path, tally: Tally
) -> None:
    from safetensors.torch import load_file, save_file

    save(tmp_path, kind)
    path = tmp_path / "model.safetensors"
    model = load_model(tmp_path)
    prefix = next(name for name in load_file(path) if "embed" in name or "wte" in name)
    base = prefix.split(".")[0] + "."
    kept = {name: array for name, array in load_file(path).items() if name.startswith(base)}
    save_file(kept or load_file(path), path, metadata={"format": "pt"})
    model = load_model(tmp_path)
    for name in PROBES:
        need = MEASURES.entry(name).facts.needs
        assert isinstance(need, type)
        if need is NameInContext:  # it reads vectors, for which no head is needed
            continue
        refusal = None
        try:
            asked = model.predictor(need)
            if need is Plausibility:  # which head it needs depends on the question
                asked.plausibility(["the nurse is [MASK] ."], ["here"])
        except UnslantError as error:
            refusal = error
        if kind == "gpt2" and refusal is None:  # its head is its table of pieces
            assert need.__name__ in ("CausalLM", "Likelihood", "Plausibility")
            continue
        assert refusal is not None, (name, need)
        assert is_one_sentence(refusal)
        tally(1)
