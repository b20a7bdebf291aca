"""Sentence-transformers folders are read as the package reads them, or refused."""

# ruff: noqa: E402
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.language.folders import SENTENCES, save_sentence_model
from unslant.core.errors import UnslantError
from unslant.models.language.model import load_model


@pytest.mark.parametrize("pooling", ["mean", "cls", "max", "mean_sqrt_len_tokens", "lasttoken"])
def test_every_pooling_equals_the_package(tmp_path: Path, pooling: str) -> None:
    package = pytest.importorskip("sentence_transformers")
    folder = save_sentence_model(tmp_path / "in", pooling=pooling, dense=("tanh", ""))
    plain = package.SentenceTransformer(str(folder), device="cpu")
    ours = load_model(folder).encode(SENTENCES)
    assert np.abs(plain.encode(list(SENTENCES)) - ours).max() < 1e-6


def test_small_letters_are_made_where_the_folder_asks_for_them(tmp_path: Path) -> None:
    package = pytest.importorskip("sentence_transformers")
    folder = save_sentence_model(tmp_path / "in")
    rules = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps({**rules, "normalizer": None}))
    path = folder / "sentence_bert_config.json"
    texts = ["SHE is HERE ."]
    asked = load_model(folder).encode(texts)
    path.write_text(json.dumps({"max_seq_length": 30, "do_lower_case": True}))
    lower = load_model(folder).encode(texts)
    assert np.abs(asked - lower).max() > 1e-2
    plain = package.SentenceTransformer(str(folder), device="cpu")
    assert np.abs(plain.encode(texts) - lower).max() < 1e-6


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ([0, 2, 1, 3], "Supported is this order"),
        ([0, 1, 3, 2], "Supported is this order"),
        ([0, 1, 1, 3], "Supported is this order"),
        ([0, 2, 3], "names no Pooling"),
    ],
)
def test_another_order_of_modules_is_refused(tmp_path: Path, order: list[int], reason: str) -> None:
    folder = save_sentence_model(tmp_path / "in", dense=("",))
    entries = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([entries[n] for n in order]))
    with pytest.raises(UnslantError, match=reason):
        load_model(folder)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"use_residual": True}, "a residual"),
        ({"module_input_name": "token_embeddings"}, "something else than the sentence vector"),
        ({"activation_function": "os.system"}, "activation os.system is not supported"),
    ],
)
def test_a_dense_module_that_does_more_is_refused(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    folder = save_sentence_model(tmp_path / "in", dense=("",))
    path = folder / "2_Dense" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(UnslantError, match=reason):
        load_model(folder)


@pytest.mark.parametrize("shape", [(14, 15), (3,)])
def test_a_dense_module_of_another_width_is_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    from safetensors.torch import save_file

    folder = save_sentence_model(tmp_path / "in", dense=("",))
    save_file({"linear.weight": torch.ones(shape)}, folder / "2_Dense" / "model.safetensors")
    with pytest.raises(UnslantError, match="gets vectors of width 16"):
        load_model(folder)


def test_one_changed_bit_in_a_module_changes_the_hash(tmp_path: Path) -> None:
    folder = save_sentence_model(tmp_path / "in", dense=("",))
    before = load_model(folder).weights_sha256
    path = folder / "2_Dense" / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert load_model(folder).weights_sha256 != before
