"""Hostile and damaged folders and texts: one sentence each, soon, and without running code."""

# ruff: noqa: E402
import json
import random
import resource
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.models.language.folders import CONFIGURATIONS, VOCABULARY, save, tokenizer
from tests.tallies import Tally
from unslant.core.errors import DamagedFileError, UnsafeFileError, UnslantError
from unslant.models.language.base import LanguageModel
from unslant.models.language.model import load_model

FolderOf = Callable[..., Path]
_SECONDS = 8.0
_STARTING = 60.0
"""transformers builds a tokenizer of parts, in a process that has to import it first."""


def _copy(folder: Path, target: Path) -> Path:
    shutil.copytree(folder, target)
    return target


def _refusal(folder: Path, seconds: float = _SECONDS) -> str:
    """The sentence with which a folder is refused, when it is opened or first used; "" if it works.

    Anything but an UnslantError fails the test, as does waiting.
    """
    start = time.monotonic()
    try:
        load_model(folder).encode(["the nurse is here ."])
    except UnslantError as error:
        message = str(error)
        assert message
        assert "\n" not in message
        assert len(message) < 1_500
        return message
    finally:
        assert time.monotonic() - start < seconds
    return ""


_BAD_VALUES: tuple[Any, ...] = (
    10**9, 10**17, -1, 0, 1.5, "3", "x" * 5_000, None, [], {}, True, 7, [1, 2], {"a": 1}, "..",
)  # fmt: skip


def test_200_forged_configurations_are_refused_or_mean_nothing(
    folder_of: FolderOf, tmp_path: Path, tally: Tally
) -> None:
    made = random.Random(1)
    refused, before = 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(200):
        kind = made.choice(["bert", "gpt2", "llama", "albert", "modernbert", "deberta-v2"])
        folder = tmp_path / "model"
        _copy(folder_of(kind), folder)
        path = folder / "config.json"
        config = json.loads(path.read_text())
        sizes = [key for key, value in config.items() if isinstance(value, int)]
        key = made.choice(sizes if number % 2 else sorted(config))
        config[key] = made.choice(_BAD_VALUES)
        path.write_text(json.dumps(config))
        refused += bool(_refusal(folder))
        shutil.rmtree(folder)
    assert refused > 60
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 300  # transformers itself takes some; 10⁹ layers would take terabytes
    tally(200, mebibytes=grown)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"num_hidden_layers": 10**9}, "integer from 1 to"),
        ({"num_hidden_layers": 4}, "claims 4 layers"),
        ({"num_hidden_layers": 2}, "claims 2 layers"),
        ({"num_attention_heads": -1}, "integer from 1 to"),
        ({"num_attention_heads": 5}, "do not divide"),
        ({"hidden_size": "16"}, "integer from 1 to"),
        ({"hidden_size": 32}, "claims vectors of 32"),
        ({"vocab_size": 10**6}, "claims 1000000 word pieces"),
        ({"intermediate_size": 10**6}, "has the shape"),
        ({"max_position_embeddings": 10**6}, "has the shape"),
        ({"auto_map": {"AutoModel": "evil.Model"}}, "never runs code"),
        ({"model_type": "unheard-of"}, "not supported. Supported: albert, bert"),
        ({"model_type": 3}, "does not name its architecture"),
        ({"model_type": "gpt2"}, "integer from 1 to|no array wte"),
        ({"model_type": "elmo"}, "is an ELMo"),
        ({"hidden_act": "os.system"}, "config.json"),
        ({"hidden_act": 3}, "config.json"),
    ],
)
def test_a_forged_claim_is_named(
    folder_of: FolderOf, tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    folder = _copy(folder_of("bert"), tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **change}))
    with pytest.raises(UnslantError, match=reason):
        load_model(folder).encode(["she"])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[" * 5_000 + "]" * 5_000, "nested too deeply|JSON object"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        ('{"model_type": "bert", "hidden_size": NaN}', "NaN"),
        ('{"model_type": "bert", "hidden_size": 1e999}', "too large"),
        ('{"model_type": "bert", "hidden_size": ' + "9" * 500 + "}", "digits"),
        ("[]", "JSON object"),
        ("", "cannot be read"),
        ("\ufffe\x00", "cannot be read"),
    ],
)
def test_a_configuration_that_is_no_object_of_numbers_is_refused(
    folder_of: FolderOf, tmp_path: Path, content: str, reason: str
) -> None:
    folder = _copy(folder_of("bert"), tmp_path / "model")
    (folder / "config.json").write_text(content)
    assert any(part in _refusal(folder) for part in reason.split("|"))


def test_weights_cut_anywhere_are_refused_before_anything_is_allocated(
    folder_of: FolderOf, tmp_path: Path
) -> None:
    folder = _copy(folder_of("bert"), tmp_path / "model")
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    for cut in [*range(0, 64, 3), *np.linspace(64, len(whole) - 1, 40).astype(int)]:
        path.write_bytes(whole[:cut])
        with pytest.raises(DamagedFileError, match="not a whole safetensors file"):
            load_model(folder)
    path.write_bytes(whole + b"more")
    with pytest.raises(DamagedFileError, match="not a whole safetensors file"):
        load_model(folder)
    path.write_bytes((2**63).to_bytes(8, "little") + whole[8:])
    with pytest.raises(DamagedFileError, match="not a whole safetensors file"):
        load_model(folder)


def test_200_mutants_of_a_weight_header_are_refused_or_read(
    folder_of: FolderOf, tmp_path: Path, tally: Tally
) -> None:
    folder = _copy(folder_of("gpt2"), tmp_path / "model")
    path = folder / "model.safetensors"
    whole, made = path.read_bytes(), random.Random(2)
    length = int.from_bytes(whole[:8], "little")
    for _ in range(200):
        content = bytearray(whole)
        content[8 + made.randrange(length)] = made.choice(b'0123456789[]{}",:xF')
        path.write_bytes(content)
        _refusal(folder)
    tally(200)


def test_numbers_that_are_not_finite_are_refused(folder_of: FolderOf, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = _copy(folder_of("bert"), tmp_path / "model")
    arrays = load_file(folder / "model.safetensors")
    arrays["bert.encoder.layer.1.output.dense.weight"][3, 4] = float("nan")
    save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})
    assert "output.dense.weight contains a number that is not finite" in _refusal(folder)


@pytest.mark.parametrize("name", ["c_attn.bias", "mlp.c_fc.weight", "wpe.weight", "ln_f.bias"])
def test_a_missing_array_is_never_made_up(folder_of: FolderOf, tmp_path: Path, name: str) -> None:
    from safetensors.torch import load_file, save_file

    folder = _copy(folder_of("gpt2"), tmp_path / "model")
    arrays = load_file(folder / "model.safetensors")
    gone = next(key for key in arrays if key.endswith(name))
    del arrays[gone]
    save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})
    assert "the weights lack" in _refusal(folder)


def test_pickles_are_not_opened(folder_of: FolderOf, tmp_path: Path) -> None:
    folder = _copy(folder_of("bert"), tmp_path / "model")
    ran = tmp_path / "ran"
    bomb = f"cos\nsystem\n(S'touch {ran}'\ntR.".encode()
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(bomb)
    with pytest.raises(UnsafeFileError, match=r"only as pytorch_model\.bin.*save_pretrained"):
        load_model(folder)
    (folder / "model.safetensors").write_bytes(bomb)
    assert "not a whole safetensors file" in _refusal(folder)
    (folder / "tokenizer.json").write_bytes(bomb)
    assert _refusal(folder)
    (folder / "intervention.safetensors").write_bytes(bomb)
    assert _refusal(folder)
    assert not ran.exists()


@pytest.mark.parametrize("mutants", [3, pytest.param(40, marks=pytest.mark.full)])
def test_mutants_of_a_vocabulary_end_soon(
    folder_of: FolderOf, tmp_path: Path, mutants: int, tally: Tally
) -> None:
    made = random.Random(4)
    folder = _copy(folder_of("bert"), tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    lines = [*VOCABULARY]
    (folder / "vocab.txt").write_text("\n".join(lines))
    assert _refusal(folder, _STARTING) == ""
    for number in range(mutants):
        mutant = [*lines]
        for _ in range(3):
            mutant[made.randrange(len(mutant))] = made.choice(["", "\x00", "é" * 999, "[CLS]"])
        content = "\n".join(mutant if number % 2 else mutant[: made.randrange(len(mutant))])
        (folder / "vocab.txt").write_bytes(content.encode() + bytes([made.randrange(256)]))
        _refusal(folder, _STARTING)
    tally(mutants)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(x+x+)+y", r"(\w+\s?)+\?", "(?:a?){30}a{30}", "(.*)*!"]
)
def test_a_hostile_pattern_does_not_hang(folder_of: FolderOf, tmp_path: Path, pattern: str) -> None:
    folder = _copy(folder_of("bert"), tmp_path / "model")
    plain = json.loads((folder / "tokenizer.json").read_text())
    plain["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    (folder / "tokenizer.json").write_text(json.dumps(plain))
    model = load_model(folder)
    start = time.monotonic()
    for text in ("a" * 60 + "c", "x" * 60, "a b " * 30):
        with suppress(UnslantError):
            model.tokens.of([text])
    assert time.monotonic() - start < 3 * _SECONDS


def test_a_tokenizer_of_another_model_is_named(folder_of: FolderOf, tmp_path: Path) -> None:
    folder = _copy(folder_of("bert"), tmp_path / "model")
    other = tokenizer()
    other.add_tokens(["brandnewword"])
    other.save(str(folder / "tokenizer.json"))
    with pytest.raises(DamagedFileError, match="do not belong together"):
        load_model(folder).encode(["brandnewword"])
    (folder / "tokenizer.json").unlink()
    with pytest.raises(UnslantError, match="has no tokenizer"):
        load_model(folder)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "An empty text"),
        (" \n\t ", "An empty text"),
        ("[[ ]]", "An empty text"),
        ("she " * 10_000, "10,002 pieces.*reads at most 40"),
        ("she " * 300_000, "more than a million characters"),
        (3, "Expected a text"),
    ],
)
def test_a_text_that_has_no_vector_is_named(
    model_of: Callable[..., LanguageModel], text: Any, reason: str
) -> None:
    with pytest.raises(UnslantError, match=reason) as caught:
        model_of("bert").encode([text])
    assert len(str(caught.value)) < 400


def test_a_word_without_pieces_is_named(model_of: Callable[..., LanguageModel]) -> None:
    with pytest.raises(UnslantError, match="has no word pieces in bert"):
        model_of("bert").vectors(["this is [[ ]] ."], ["layer:1[word]"])
    with pytest.raises(UnslantError, match="No word is marked"):
        model_of("bert").vectors(["this is she ."], ["layer:1[word]"])


def test_the_hash_and_the_vectors_follow_the_weights(folder_of: FolderOf, tmp_path: Path) -> None:
    """Two models with permuted weights must not be taken for one another."""
    from safetensors.torch import load_file, save_file

    original = load_model(folder_of("bert"))
    folder = _copy(folder_of("bert"), tmp_path / "bert")
    assert load_model(folder).weights_sha256 == original.weights_sha256
    path = folder / "model.safetensors"
    arrays = load_file(path)
    table = arrays["bert.embeddings.word_embeddings.weight"]
    arrays["bert.embeddings.word_embeddings.weight"] = table.flip(0).contiguous()
    save_file(arrays, path, metadata={"format": "pt"})
    permuted = load_model(folder)
    assert permuted.weights_sha256 != original.weights_sha256
    texts = ["she is here ."]
    assert np.abs(permuted.encode(texts) - original.encode(texts)).max() > 1e-2
    first, second = (model.at("layer:-1[all]") for model in (original, permuted))
    assert first.content_hash != second.content_hash


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "config.json"])
def test_one_changed_bit_changes_the_hash(folder_of: FolderOf, tmp_path: Path, file: str) -> None:
    folder = _copy(folder_of("bert"), tmp_path / "bert")
    before = load_model(folder).weights_sha256
    content = bytearray((folder / file).read_bytes())
    at = len(content) - 9 if file == "model.safetensors" else content.index(b" ")
    content[at] ^= 1 if file == "model.safetensors" else ord(" ") ^ ord("\n")
    (folder / file).write_bytes(content)
    assert load_model(folder).weights_sha256 != before


def test_every_configuration_of_these_tests_is_of_a_known_architecture() -> None:
    from unslant.models.language.architectures import ARCHITECTURES

    assert {kind for kind, _ in CONFIGURATIONS.values()} == set(ARCHITECTURES)


def test_saving_a_small_model_takes_less_than_a_second(tmp_path: Path) -> None:
    save(tmp_path / "first", "bert")  # imports much
    start = time.process_time()
    save(tmp_path / "second", "bert")
    assert time.process_time() - start < 1
