"""Files of a folder that are not what they seem: what is opened is checked, in one sentence."""

# ruff: noqa: E402
import base64
import json
import os
import resource
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file, save_file

from tests.models.language.folders import save_sentence_model
from unslant.core.errors import DamagedFileError, UnsafeFileError, UnslantError
from unslant.models.language.export import export
from unslant.models.language.folder import read_folder
from unslant.models.language.model import load_model, load_transformer
from unslant.models.language.tokenizer_process import TokenizerProcess

FolderOf = Callable[..., Path]
_TEXT = "the nurse is here ."
INDEX = "model.safetensors.index.json"


def resident() -> float:
    """The memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def with_tokenizer(folder: Path, **changes: Any) -> Path:
    """Change parts of a tokenizer.json."""
    path = folder / "tokenizer.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return folder


def replacing(pattern: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


def splitting(pattern: str) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated"}
    return {**split, "invert": False}


@pytest.fixture
def folder(folder_of: FolderOf, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder_of("bert"), tmp_path / "model"))


BOMBS: dict[str, dict[str, Any]] = {
    "a text doubled 40 times": {
        "normalizer": {"type": "Sequence", "normalizers": [replacing("a", "aa")] * 40}
    },
    "a letter replaced by many": {
        "normalizer": {"type": "Sequence", "normalizers": [replacing("e", "e" * 900)] * 3}
    },
    "bytes that become letters, 40 times": {
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}]
            * 40,
        }
    },
    "a text repeated by its template": {
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}}] * 5_000,
            "pair": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
            ],
            "special_tokens": {},
        }
    },
    "a pattern without end": {"pre_tokenizer": splitting("(a+a+)+b")},
    "a map of characters that is none": {
        "normalizer": {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(b"\xff\x00\x00\x00abcdef").decode(),
        }
    },
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_tokenizer_that_takes_all_memory_or_time_is_one_sentence_and_then_gone(
    folder: Path, bomb: str
) -> None:
    with_tokenizer(folder, **BOMBS[bomb])
    before, threads = resident(), threading.active_count()
    with pytest.raises(UnslantError) as caught:
        load_transformer(folder).tokens.of(["a" * 40 + "c", "e nurse é"])
    assert "\n" not in str(caught.value)
    spent = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - spent < 0.2  # nothing goes on
    assert threading.active_count() == threads
    assert resident() - before < 64


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"normalizer": {"type": "Sequence", "normalizers": [replacing("zq", "zqzq")] * 40}},
            "a zq here",
        ),
        ({"pre_tokenizer": splitting("zq(y+y+)+x")}, "a zq" + "y" * 60),
    ],
)
def test_a_text_that_sets_a_tokenizer_off_later_ends_a_process_that_is_not_this_one(
    folder: Path, changes: dict[str, Any], text: str
) -> None:
    tokens = load_transformer(with_tokenizer(folder, **changes)).tokens
    known = tokens.of([_TEXT])
    before = resident()
    with pytest.raises(DamagedFileError, match="tokenizer of model"):
        tokens.of([text])
    spent = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - spent < 0.2
    assert resident() - before < 64
    assert tokens.of([_TEXT]) == known  # the model can still be used


def test_a_tokenizer_in_its_own_process_gives_what_it_gives_in_this_one(folder: Path) -> None:
    plain = load_transformer(folder).tokens
    content = (folder / "tokenizer.json").read_bytes()
    apart = TokenizerProcess(content, lower=False)
    assert apart.is_plain
    assert apart.get_vocab() == plain.vocabulary
    pairs = [("the nurse", "she sat"), ("an", "engineers")]
    for given in ([_TEXT, "unheard-of é 😀"], pairs):
        for ours, theirs in zip(
            apart.encode_batch(given), plain._backend.encode_batch(given), strict=True
        ):
            for part in ours._fields:
                assert getattr(ours, part) == getattr(theirs, part)
    lower = TokenizerProcess(content, lower=True)
    assert lower.encode_batch(["NURSE"])[0].ids == plain._backend.encode("nurse").ids


def test_a_tokenizer_with_a_pattern_of_its_own_works_and_its_process_ends_with_it(
    folder: Path,
) -> None:
    with_tokenizer(folder, pre_tokenizer=splitting(r"\s"))
    model = load_transformer(folder)
    backend = model.tokens._backend
    assert isinstance(backend, TokenizerProcess)
    assert model.encode([_TEXT]).shape == (1, 16)
    process = backend._process
    assert process is not None
    del model, backend
    assert process.returncode is not None


def test_padding_and_cutting_that_a_tokenizer_asks_for_are_not_done(folder: Path) -> None:
    known = load_transformer(folder).tokens.of([_TEXT])
    padding: dict[str, Any] = {
        "strategy": {"Fixed": 10**9},
        "direction": "Right",
        "pad_to_multiple_of": None,
    }
    padding |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}
    cutting = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
    with_tokenizer(folder, padding=padding, truncation=cutting)
    assert load_transformer(folder).tokens.of([_TEXT]) == known


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json", "model.safetensors"])
@pytest.mark.parametrize("made", ["link", "pipe", "loop", "folder", "dangling link"])
def test_what_is_opened_is_checked_however_many_files_there_are(
    folder: Path, name: str, made: str
) -> None:
    for number in range(1_100):  # they come before all others by name
        (folder / f"a{number:04}").touch()
    path = folder / name
    path.unlink()
    if made == "link":
        path.symlink_to("/etc/hostname")
    elif made == "pipe":
        os.mkfifo(path)
    elif made == "loop":
        path.symlink_to(name)
    elif made == "dangling link":
        path.symlink_to("nothing")
    else:
        path.mkdir()
    with pytest.raises(UnslantError, match=r"leads out|pipe|itself|links|is a folder|No such file"):
        load_model(folder)


def test_files_that_are_not_opened_do_not_matter(folder: Path) -> None:
    (folder / "notes.txt").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe")
    assert load_model(folder).encode([_TEXT]).shape == (1, 16)


def test_a_link_out_of_the_folder_is_not_copied_into_an_export(
    folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("private")
    for name in ("LICENSE", "README.md"):
        (folder / name).symlink_to(secret)
        with pytest.raises(UnsafeFileError, match="leads out"):
            export(load_transformer(folder), tmp_path / "out")
        (folder / name).unlink()
    assert not (tmp_path / "out").exists()


def _sharded(folder: Path) -> dict[str, Any]:
    arrays = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(arrays)
    halves = {"one.safetensors": names[::2], "two.safetensors": names[1::2]}
    for shard, inside in halves.items():
        save_file({name: arrays[name] for name in inside}, folder / shard)
    index = {"weight_map": {name: shard for shard, inside in halves.items() for name in inside}}
    (folder / INDEX).write_text(json.dumps(index))
    return index["weight_map"]


def _moved(index: dict[str, Any]) -> Any:
    first = min(index)
    other = {"one.safetensors": "two.safetensors", "two.safetensors": "one.safetensors"}
    return {**index, first: other[index[first]]}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda index: 1, "must name a file for each array"),
        (lambda index: [1], "must name a file for each array"),
        (lambda index: {**index, "x": 3}, "must name a file for each array"),
        (lambda index: {**index, "x": "n" * 300}, r"names n{60}, which is not in the folder"),
        (lambda index: {**index, "x": "../one.safetensors"}, "is not in the folder"),
        (lambda index: {**index, "x": "one.safetensors"}, "names x in .* has not such an array"),
        (lambda index: dict([*index.items()][1:]), "does not name .* has such an array"),
        (_moved, "does not name|has not such an array"),
    ],
)
def test_an_index_that_does_not_fit_its_shards_is_refused(
    folder: Path, change: Callable[[Any], Any], reason: str
) -> None:
    index = _sharded(folder)
    assert load_model(folder).encode([_TEXT]).shape == (1, 16)
    (folder / INDEX).write_text(json.dumps({"weight_map": change(index)}))
    with pytest.raises(DamagedFileError, match=reason):
        load_model(folder)


@pytest.mark.parametrize("shape", ["[1e999]", "[Infinity]", '["x"]', "[[1]]", "-1", "null"])
def test_a_shape_that_is_none_is_refused(folder: Path, shape: str) -> None:
    header = f'{{"a":{{"dtype":"F32","shape":{shape},"data_offsets":[0,4]}}}}'.encode()
    content = len(header).to_bytes(8, "little") + header + bytes(4)
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(DamagedFileError, match="not a whole safetensors file"):
        load_model(folder)


@pytest.mark.parametrize("kind", [torch.int64, torch.bool])
def test_whole_numbers_in_a_dense_module_are_refused(tmp_path: Path, kind: Any) -> None:
    folder = save_sentence_model(tmp_path / "model", dense=("tanh",))
    path = folder / "2_Dense" / "model.safetensors"
    save_file({name: array.to(kind) for name, array in load_file(path).items()}, path)
    with pytest.raises(DamagedFileError, match="not fractions"):
        load_model(folder)


def test_a_dense_module_in_half_precision_is_read(tmp_path: Path) -> None:
    folder = save_sentence_model(tmp_path / "model", dense=("tanh",))
    path = folder / "2_Dense" / "model.safetensors"
    save_file({name: array.half() for name, array in load_file(path).items()}, path)
    assert load_model(folder).encode([_TEXT]).shape == (1, 14)


def test_another_version_of_transformers_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "transformers.initialization", None)
    monkeypatch.setattr("transformers.__version__", "4.57.1")
    with pytest.raises(UnslantError, match=r"needs transformers 5; 4\.57\.1 is installed\. Update"):
        load_model(folder).encode([_TEXT])


def test_a_refused_file_takes_no_more_memory_than_twice_its_size(folder: Path) -> None:
    path = folder / "tokenizer.json"
    path.write_bytes(b'{"model": [' + b"[]," * (10 << 20))
    size = path.stat().st_size / 2**20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with pytest.raises(DamagedFileError, match="not a tokenizer"):
        load_model(folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before < 2 * size + 64


@pytest.mark.parametrize("labels", [{"x": "positive"}, {"0": "positive", "7": "negative"}])
def test_labels_that_do_not_count_the_outputs_are_refused(
    folder: Path, labels: dict[str, str]
) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "id2label": labels}))
    with pytest.raises(DamagedFileError, match='"id2label" must name the outputs 0 to'):
        read_folder(folder).labels()
