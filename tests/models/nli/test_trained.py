"""Trained models in files: what comes back is what was written, or a reason."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tests.random_nli import random_tensors
from tests.spaces import space
from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnslantError
from unslant.core.sealed import sealed
from unslant.models.nli.attention import DecomposableAttention
from unslant.models.nli.settings import Shape
from unslant.models.nli.trained import KIND, TrainedNli, load_nli
from unslant.predictors.protocols import GridModel

SHAPES = [
    Shape(dim=5, hidden=6, encoder=encoder, intra=intra)
    for encoder in ("projection", "bilstm")
    for intra in (False, True)
]


def model_of(shape: Shape = SHAPES[0]) -> TrainedNli:
    record = {"dev_accuracy": 0.1 + 0.2, "settings": {"seed": 3}, "note": "naïve – “quoted”"}
    return TrainedNli("small", shape, random_tensors(shape), record)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return model_of().save(tmp_path / "small.safetensors")


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_model_comes_back_to_the_bit(shape: Shape, tmp_path: Path) -> None:
    model = model_of(shape)
    found = load_nli(model.save(tmp_path / "small.safetensors"))
    assert (found.name, found.shape, found.record) == ("small", shape, model.record)
    assert found.tensors.keys() == model.tensors.keys()
    for name, value in found.tensors.items():
        assert value.dtype == np.float32
        assert np.array_equal(value, model.tensors[name]), name
    assert len(found.sha256) == 64


def test_weights_that_lie_otherwise_in_memory_come_back_the_same(tmp_path: Path) -> None:
    model = model_of()
    turned = {name: np.asfortranarray(value) for name, value in model.tensors.items()}
    other = TrainedNli("small", model.shape, turned, {})
    found = load_nli(other.save(tmp_path / "small.safetensors"))
    for name, value in found.tensors.items():
        assert np.array_equal(value, model.tensors[name]), name


def test_the_same_model_is_the_same_bytes(saved: Path, tmp_path: Path) -> None:
    other = load_nli(saved).save(tmp_path / "again.safetensors")
    assert other.read_bytes() == saved.read_bytes()


def test_the_record_stands_beside_it_for_reading(saved: Path) -> None:
    facts = json.loads(saved.with_suffix(".json").read_text(encoding="utf-8"))
    assert facts == {"shape": SHAPES[0].to_dict(), "record": model_of().record}


def test_only_safetensors_are_written(tmp_path: Path) -> None:
    for name in ("model.pt", "model.bin", "model"):
        with pytest.raises(OutputError, match=r"written as \.safetensors"):
            model_of().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_vectors_of_another_dimension_are_refused_with_both_dimensions() -> None:
    wide = space(["a"], np.ones((1, 8)), "wide")
    with pytest.raises(UnslantError, match="small reads vectors of 5 dimensions and wide has 8"):
        model_of().on(wide)


def test_a_model_reads_any_vectors_of_its_dimension() -> None:
    vectors = space(["a", "man", "sleeps"], np.random.default_rng(0).normal(size=(3, 5)))
    for shape in SHAPES:
        if shape.reads_context:
            pytest.importorskip("torch", reason="models that read context need torch")
        model = model_of(shape).on(vectors)
        assert isinstance(model, GridModel)
        assert isinstance(model, DecomposableAttention) is not shape.reads_context
        answers = model.predict(["a man sleeps"], ["unheard of"])
        np.testing.assert_allclose(answers.sum(axis=1), 1, rtol=1e-5)


def test_a_file_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"none\.safetensors does not exist"):
        load_nli(tmp_path / "none.safetensors")


@pytest.mark.parametrize(
    "content", [None, b"", b"hello\n", b"the 0.1 0.2 0.3\nof 0.4 0.5 0.6\n", b"\x80\x04" * 50]
)
def test_what_is_no_safetensors_at_all_is_not_called_damaged(
    content: bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"model\.safetensors is not a trained inference mod"):
        load_nli(path)


def test_a_file_that_cannot_be_read_is_told_so(saved: Path) -> None:
    with pytest.raises(FileFormatError, match=r"Cannot read .*: Not a directory\.$"):
        load_nli(saved / "model.safetensors")
    with pytest.raises(FileFormatError, match=r"Cannot read .*: File name too long\.$"):
        load_nli(saved.with_name("x" * 300))


def test_every_cut_of_a_file_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for kept in [*range(9, 40, 3), *range(40, len(whole), 97), len(whole) - 1]:
        saved.write_bytes(whole[:kept])
        with pytest.raises(DamagedFileError, match="is not a complete model"):
            load_nli(saved)
    for kept in range(9):  # nothing of it says what it was
        saved.write_bytes(whole[:kept])
        with pytest.raises(FileFormatError, match="is not a trained inference model"):
            load_nli(saved)


def test_bytes_at_the_end_are_refused(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes() + b"more")
    with pytest.raises(DamagedFileError):
        load_nli(saved)


def test_a_changed_bit_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    rng = np.random.default_rng(0)
    start = 8 + int.from_bytes(whole[:8], "little")
    name = whole.index(b'"seal":')
    bits = [*rng.integers(8 * start, size=400), *range(8 * name, 8 * (name + 8))]
    bits += [*rng.integers(8 * start, 8 * len(whole), size=100)]
    for bit in bits:
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << int(bit % 8)
        saved.write_bytes(changed)
        with pytest.raises((DamagedFileError, FileFormatError)):
            load_nli(saved)


@pytest.mark.parametrize("change", ["lacks", "foreign", "shape", "dtype", "nan", "inf"])
def test_weights_that_do_not_fit_are_refused_under_a_right_seal_too(
    change: str, saved: Path
) -> None:
    tensors = load_file(saved)
    if change == "lacks":
        del tensors["attend.0.bias"]
    elif change == "foreign":
        tensors["distance"] = np.zeros(21, np.float32)
    elif change == "shape":
        tensors["project.weight"] = tensors["project.weight"][:, :4].copy()
    elif change == "dtype":
        tensors["attend.0.bias"] = tensors["attend.0.bias"].astype(np.float64)
    else:
        tensors["attend.0.bias"][2] = float(change)
    header = {"kind": KIND, "shape": json.dumps(SHAPES[0].to_dict()), "record": "{}"}
    saved.write_bytes(sealed(tensors, header))
    with pytest.raises(DamagedFileError, match=r"is not a complete model .*train it again\.$"):
        load_nli(saved)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("shape", "{}"),
        ("shape", "[1, 2]"),
        ("shape", "null"),
        ("shape", '{"dim": "5"}'),
        ("shape", '{"dim": 5, "hidden": 7}'),
        ("shape", '{"dim": 5, "hidden": 6, "encoder": "gru"}'),
        ("shape", '{"dim": 5, "hidden": 6, "layers": 2}'),
        ("shape", "[" * 100_000),
        ("record", "[]"),
        ("record", "{"),
        ("record", None),
    ],
)
def test_a_header_that_says_nonsense_is_refused(key: str, value: str | None, saved: Path) -> None:
    header = {"kind": KIND, "shape": json.dumps(SHAPES[0].to_dict()), "record": "{}"}
    if value is None:
        del header[key]
    else:
        header[key] = value
    saved.write_bytes(sealed(load_file(saved), header))
    with pytest.raises(DamagedFileError, match="is not a complete model"):
        load_nli(saved)


def test_safetensors_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors.safetensors"
    for header in (None, {"kind": "unslant eraser 1"}):
        save_file({"a": np.zeros(3, np.float32)}, path, metadata=header)
        with pytest.raises(FileFormatError, match="is not a trained inference model"):
            load_nli(path)


class Trap:
    """Unpickling this makes a folder."""

    def __init__(self, made: str) -> None:
        self.made = made

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (self.made,)


def test_a_pickle_is_never_opened_whatever_its_name(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="it writes the pickle")
    made, path = tmp_path / "made", tmp_path / "model.safetensors"
    torch.save({"weights": torch.zeros(3), "trap": Trap(str(made))}, path)
    with pytest.raises(FileFormatError, match="is not a trained inference model"):
        load_nli(path)
    assert not made.exists()
