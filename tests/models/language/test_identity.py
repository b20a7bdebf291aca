"""A hash is that of the bytes in use: every file that is read counts, and stays what it was."""

# ruff: noqa: E402
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file

from tests.models.elmo.made_elmo import OPTIONS, random_arrays, write_elmo
from tests.models.language.folders import VOCABULARY, save_sentence_model
from unslant.core.errors import DamagedFileError, UnslantError
from unslant.models.language.base import LanguageModel
from unslant.models.language.export import export
from unslant.models.language.folder import read_folder
from unslant.models.language.model import load_model, load_transformer

FolderOf = Callable[..., Path]
_TEXTS = ["the nurse is here .", "she sat down"]


def save_elmo(folder: Path) -> Path:
    write_elmo(folder, OPTIONS, random_arrays(OPTIONS))
    return folder


def _without_tokenizer_json(folder: Path) -> Path:
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY))
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    (folder / "special_tokens_map.json").write_text('{"unk_token": "[UNK]"}')
    (folder / "added_tokens.json").write_text("{}")
    (folder / "sentencepiece.bpe.model").write_bytes(b"not used by this one")
    return folder


def _sharded(folder: Path) -> Path:
    network = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    network.save_pretrained(folder, max_shard_size="8KB")
    assert len(list(folder.glob("*.safetensors"))) > 1
    return folder


def _of_sentences(folder: Path) -> Path:
    shutil.rmtree(folder)
    return save_sentence_model(folder, dense=("tanh",))


KINDS: dict[str, Callable[[Path], Path]] = {
    "usual": lambda folder: folder,
    "sharded": _sharded,
    "of sentences": _of_sentences,
    "without tokenizer.json": _without_tokenizer_json,
}
UNREAD = {"generation_config.json", "README.md", "notes.txt"}


def _altered(path: Path) -> None:
    """Other bytes of the same meaning or another, as long as the file can still be read."""
    if path.suffix == ".safetensors":
        arrays = load_file(path)
        name = min(name for name, array in arrays.items() if array.is_floating_point())
        arrays[name] = arrays[name] + 1
        save_file(arrays, path, metadata={"format": "pt"})
    elif path.suffix == ".json":
        path.write_text(path.read_text() + " ")
    else:
        path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_that_is_read_is_part_of_the_hash(
    folder_of: FolderOf, tmp_path: Path, kind: str
) -> None:
    folder = KINDS[kind](Path(shutil.copytree(folder_of("bert"), tmp_path / "model")))
    (folder / "notes.txt").write_text("unread")
    original = load_model(folder)
    sha256, rows = original.weights_sha256, original.encode(_TEXTS)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        _altered(path)
        if path.name in UNREAD:  # what it holds cannot matter, as is seen below
            assert read_folder(folder).sha256() == sha256
            path.write_bytes(os.urandom(100))
        else:
            assert read_folder(folder).sha256() != sha256, path
            path.write_bytes(content)
    again = load_model(folder)
    assert again.weights_sha256 == sha256
    assert np.array_equal(again.encode(_TEXTS), rows)


def test_a_tokenizer_of_parts_sees_no_file_that_is_not_hashed(
    folder_of: FolderOf, tmp_path: Path
) -> None:
    folder = _without_tokenizer_json(Path(shutil.copytree(folder_of("bert"), tmp_path / "model")))
    known = load_transformer(folder).tokens.of(_TEXTS)
    (folder / "tokenization_evil.py").write_text("raise SystemExit")
    (folder / "chat_template.jinja").write_text("{{ 1 / 0 }}")
    assert load_transformer(folder).tokens.of(_TEXTS) == known
    shutil.copyfile(folder_of("bert") / "tokenizer.json", folder / "tokenizer.json")
    assert load_transformer(folder).tokens.of(_TEXTS) == known


def _in_place(path: Path, content: bytes) -> None:
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.write_bytes(content)
    os.utime(path, ns=times)  # the time of modification tells nothing


def _by_renaming(path: Path, content: bytes) -> None:
    other = path.with_name("other")
    other.write_bytes(content)
    other.replace(path)


@pytest.mark.parametrize("exchange", [_in_place, _by_renaming])
@pytest.mark.parametrize("is_hashed", [True, False])
def test_weights_that_are_exchanged_after_loading_are_not_used(
    folder_of: FolderOf, tmp_path: Path, exchange: Callable[[Path, bytes], None], is_hashed: bool
) -> None:
    folder = Path(shutil.copytree(folder_of("bert"), tmp_path / "model"))
    path = folder / "model.safetensors"
    other = bytearray(path.read_bytes())
    other[-8:] = bytes(8)
    model = load_transformer(folder)
    if is_hashed:
        assert model.weights_sha256
    exchange(path, bytes(other))
    refused = pytest.raises(DamagedFileError, match=r"changed after the model was loaded\. Load")
    with refused:
        model.encode(_TEXTS)
    if not is_hashed:
        with refused:
            _ = model.weights_sha256
    with refused:
        export(model, tmp_path / "out")


def test_heads_of_weights_that_were_exchanged_are_not_used(
    folder_of: FolderOf, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(folder_of("bert"), tmp_path / "model"))
    model = load_transformer(folder)
    model.encode(_TEXTS)
    path = folder / "model.safetensors"
    _by_renaming(path, path.read_bytes()[:-4] + bytes(4))
    with pytest.raises(DamagedFileError, match="changed after"):
        model.head("masked")


def test_weights_that_are_only_linked_again_are_used(folder_of: FolderOf, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(folder_of("bert"), tmp_path / "model"))
    model = load_model(folder)
    assert model.weights_sha256
    os.link(folder / "model.safetensors", tmp_path / "backup")  # which changes times
    assert model.encode(_TEXTS).shape == (2, 16)


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "tokenizer_config.json"])
def test_a_small_file_that_is_exchanged_has_the_hash_of_what_was_read(
    folder_of: FolderOf, tmp_path: Path, file: str
) -> None:
    folder = Path(shutil.copytree(folder_of("bert"), tmp_path / "model"))
    sha256 = load_model(folder).weights_sha256
    model = load_transformer(folder)
    if file == "tokenizer_config.json":
        assert model.weights_sha256 == sha256
    _altered(folder / file)
    assert model.weights_sha256 == sha256
    if file == "tokenizer_config.json":  # it is read when a gap is first filled
        from unslant.models.language.likelihood import gap_piece

        with pytest.raises(DamagedFileError, match="changed after"):
            gap_piece(model)


def test_an_elmo_whose_weights_are_exchanged_is_not_used(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    folder = save_elmo(tmp_path / "elmo")
    model = load_model(folder)
    sha256 = model.weights_sha256
    path = next(folder.glob("*.hdf5"))
    _by_renaming(path, path.read_bytes()[:-4] + bytes(4))
    with pytest.raises(DamagedFileError, match="changed after"):
        model.encode(["she is here"])
    assert load_model(folder).weights_sha256 != sha256


@pytest.mark.parametrize("name", ["bert", "elmo"])
def test_a_string_is_one_text_and_never_one_for_each_letter(
    model_of: Callable[..., LanguageModel], tmp_path: Path, name: str
) -> None:
    if name == "elmo":
        pytest.importorskip("h5py")
    model = model_of("bert") if name == "bert" else load_model(save_elmo(tmp_path / "elmo"))
    one = model.encode("nurse")
    assert one.ndim == 1
    assert np.array_equal(one, model.encode(["nurse"])[0])
    place = model.default_place
    calls: list[Callable[[], Any]] = [
        lambda: model.vectors("nurse", [place]),
        lambda: model.at(place).rows("nurse"),
        lambda: model.at(place).lookup("nurse"),
        lambda: model.at(place, "bleached").rows("nurse"),
        lambda: model.tokens.of("nurse"),
        lambda: model.tokens.spans("nurse"),
    ]
    for call in calls:
        with pytest.raises(UnslantError, match=r'Expected a list of texts .* Write \["nurse"\]'):
            call()


def test_predictors_and_spaces_refuse_a_string_for_a_list(
    model_of: Callable[..., Any],
) -> None:
    import unslant as us
    from unslant.models.language.shared import spaces_at
    from unslant.predictors.protocols import CausalLM

    counted = us.space(lambda texts: [[len(text), 1.0] for text in texts], name="counted")
    shared = spaces_at(model_of("bert"), ["layer:1", "layer:2"])
    calls: list[Callable[[], Any]] = [
        lambda: counted.rows("nurse"),
        lambda: us.load().rows("nurse"),
        lambda: us.load().lookup("nurse"),
        lambda: shared[0].rows("nurse"),
        lambda: model_of("gpt2").predictor(CausalLM).log_likelihood("nurse"),
    ]
    for call in calls:
        with pytest.raises(UnslantError, match="Expected a list of texts"):
            call()


def test_a_record_of_a_file_that_appeared_later_is_as_before(
    folder_of: FolderOf, tmp_path: Path
) -> None:
    folder = _without_tokenizer_json(Path(shutil.copytree(folder_of("bert"), tmp_path / "model")))
    sha256 = load_model(folder).weights_sha256
    model = load_model(folder)
    (folder / "tokenizer.json").write_text(json.dumps({}))
    assert model.weights_sha256 == sha256
