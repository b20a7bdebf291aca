"""No rule for safety refuses a folder that transformers or sentence-transformers wrote."""

# ruff: noqa: E402
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

from tests.models.language.folders import (
    DECODERS,
    KINDS,
    VOCABULARY,
    save_sentence_model,
    tokenizer,
)
from tests.tallies import Tally
from unslant.models.language.model import load_model, load_transformer
from unslant.predictors.protocols import CausalLM, MaskedLM

_TEXT = "the nurse is here ."
UNBOUNDED = 1000000000000000019884624838656
"""What transformers writes for a tokenizer without a longest text."""


def _tokenizer(**facts: Any) -> Any:
    signs = dict(zip(("pad", "cls", "sep", "unk", "mask"), VOCABULARY, strict=False))
    named = {f"{name}_token": sign for name, sign in signs.items()}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer(), **named, **facts)


def _asked(folder: Path, kind: str) -> None:
    """Everything that reads another file: vectors, a head, and the sign for a gap."""
    model = load_transformer(folder)
    assert model.encode([_TEXT]).shape == (1, 16)
    if kind in DECODERS:
        assert np.isfinite(model.predictor(CausalLM).log_likelihood([_TEXT])).all()
    else:
        gap = model.predictor(MaskedLM).log_probabilities(["the [MASK] is here ."], ["nurse"])
        assert np.isfinite(gap).all()


@pytest.mark.parametrize("kind", KINDS)
def test_what_transformers_writes_is_read(
    folder_of: Callable[..., Path], tmp_path: Path, kind: str, tally: Tally
) -> None:
    auto = "AutoModelForCausalLM" if kind in DECODERS else "AutoModelForMaskedLM"
    network = getattr(transformers, auto).from_pretrained(folder_of(kind))
    ways: dict[str, dict[str, Any]] = {"whole": {}, "sharded": {"max_shard_size": "6KB"}}
    for name, how in ways.items():
        folder = tmp_path / name
        network.save_pretrained(folder, **how)
        _tokenizer().save_pretrained(folder)
        facts = json.loads((folder / "tokenizer_config.json").read_text())
        assert facts["model_max_length"] == UNBOUNDED
        _asked(folder, kind)
    network.to(torch.bfloat16).save_pretrained(tmp_path / "half")
    _tokenizer(model_max_length=40).save_pretrained(tmp_path / "half")
    _asked(tmp_path / "half", kind)
    tally(3)


@pytest.mark.parametrize("pooling", ["mean", "cls", "max", "lasttoken"])
def test_what_sentence_transformers_writes_is_read(
    tmp_path: Path, pooling: str, tally: Tally
) -> None:
    written: Any = pytest.importorskip("sentence_transformers")
    made = save_sentence_model(tmp_path / "made", pooling=pooling, dense=("tanh", ""))
    _tokenizer().save_pretrained(made)
    theirs = written.SentenceTransformer(str(made), device="cpu")
    theirs.save_pretrained(str(tmp_path / "saved"))
    ours = load_model(tmp_path / "saved").encode([_TEXT, "she sat down"])
    assert np.abs(ours - theirs.encode([_TEXT, "she sat down"])).max() < 1e-5
    assert np.abs(load_model(tmp_path / "saved").encode(_TEXT) - theirs.encode(_TEXT)).max() < 1e-5
    tally(1)


def test_a_longest_text_without_bound_is_that_of_the_positions(
    folder_of: Callable[..., Path], tmp_path: Path
) -> None:
    folder = save_sentence_model(tmp_path / "model")
    facts = json.dumps({"max_seq_length": UNBOUNDED, "do_lower_case": False})
    (folder / "sentence_bert_config.json").write_text(facts)
    assert load_transformer(folder).tokens.most == 40


def test_a_folder_of_the_hugging_face_cache_is_read(
    folder_of: Callable[..., Path], tmp_path: Path
) -> None:
    blobs, folder = (
        tmp_path / "models--x--y" / "blobs",
        tmp_path / "models--x--y" / "snapshots" / "1",
    )
    blobs.mkdir(parents=True)
    folder.mkdir(parents=True)
    for number, file in enumerate(sorted(folder_of("bert").iterdir())):
        (blobs / str(number)).write_bytes(file.read_bytes())
        (folder / file.name).symlink_to(f"../../blobs/{number}")
    model = load_model(folder)
    assert model.encode([_TEXT]).shape == (1, 16)
    assert model.weights_sha256 == load_model(folder_of("bert")).weights_sha256


@pytest.mark.parametrize("kind", [torch.bool, torch.uint8, torch.uint16, torch.float64])
def test_arrays_of_other_kinds_beside_the_weights_are_read(
    folder_of: Callable[..., Path], tmp_path: Path, kind: Any
) -> None:
    import shutil

    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(folder_of("gpt2"), tmp_path / "model"))
    arrays = load_file(folder / "model.safetensors")
    arrays["transformer.h.0.attn.bias"] = torch.ones((1, 1, 4, 4)).to(kind)  # old files have it
    save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})
    assert load_model(folder).encode([_TEXT]).shape == (1, 16)
