"""Erasers in files: damaged, foreign and hostile ones are refused with a reason."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tests.tallies import Tally
from unslant.concepts import concept
from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnslantError
from unslant.core.sealed import sealed
from unslant.erasers import Eraser
from unslant.methods.pipeline import fit
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load
from unslant.vectors.save import save


@pytest.fixture(scope="module")
def eraser() -> Eraser:
    return fit("hard | misp", load(limit=5000), concept("gender"))


def test_everything_but_the_arrays_is_readable_json_in_the_header(
    eraser: Eraser, tmp_path: Path
) -> None:
    raw = eraser.save(tmp_path / "e.safetensors").read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    stages = json.loads(header["__metadata__"]["stages"])
    assert [stage["expression"] for stage in stages] == ["hard", "misp"]
    assert stages[0]["inputs"]["vectors"] == "glove.6B.100d.slice"
    assert stages[1]["inputs"]["vectors"] == "glove.6B.100d.slice.hard"
    assert stages[1]["inputs"]["vectors_sha256"] != stages[0]["inputs"]["vectors_sha256"]
    assert stages[0]["parameters"]["missing"] == "drop"


def test_a_file_that_is_cut_anywhere_is_refused(eraser: Eraser, tmp_path: Path) -> None:
    raw = eraser.save(tmp_path / "e.safetensors").read_bytes()
    path = tmp_path / "cut.safetensors"
    for size in np.linspace(9, len(raw) - 1, 40, dtype=int).tolist():
        path.write_bytes(raw[:size])
        with pytest.raises(DamagedFileError, match="fit the method again"):
            Eraser.load(path)
    for size in range(9):  # nothing of it says what it was
        path.write_bytes(raw[:size])
        with pytest.raises(FileFormatError, match="is not a fitted eraser"):
            Eraser.load(path)


def flipped(raw: bytes, bit: int) -> bytes:
    changed = bytearray(raw)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def refusal(path: Path) -> str:
    """Why a file is refused; a file that loads, or an error of another kind, fails the test."""
    with pytest.raises((DamagedFileError, FileFormatError)) as refused:
        Eraser.load(path)
    return str(refused.value)


def test_none_of_1000_changed_bits_loads_or_escapes_as_a_bug(
    eraser: Eraser, tmp_path: Path, tally: Tally
) -> None:
    raw = eraser.save(tmp_path / "e.safetensors").read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    rng, path = np.random.default_rng(0), tmp_path / "flipped.safetensors"
    within_header = rng.choice(8 * start, size=500, replace=False)
    within_arrays = rng.choice(np.arange(8 * start, 8 * len(raw)), size=500, replace=False)
    for bit in [*within_header.tolist(), *within_arrays.tolist()]:
        path.write_bytes(flipped(raw, bit))
        assert str(path) in refusal(path)
    tally(1_000)


def test_no_changed_bit_in_or_around_the_seal_is_taken(tmp_path: Path) -> None:
    small = fit("linear", load(limit=5000), concept("gender"))
    raw = small.save(tmp_path / "e.safetensors").read_bytes()
    path, name = tmp_path / "flipped.safetensors", raw.index(b'"seal":')
    ends_of_header = [*range(80 * 8), *range((name - 20) * 8, (name + 90) * 8)]
    for bit in ends_of_header:
        path.write_bytes(flipped(raw, bit))
        assert str(path) in refusal(path)


def test_a_file_without_a_seal_is_refused_and_says_to_fit_again(
    eraser: Eraser, tmp_path: Path
) -> None:
    path = eraser.save(tmp_path / "e.safetensors")
    raw = path.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])["__metadata__"]
    del header["seal"]
    save_file(load_file(path), path, metadata=header)
    assert "no checksum" in refusal(path)
    assert refusal(path).endswith("fit the method again.")


def test_the_same_eraser_is_the_same_bytes(eraser: Eraser, tmp_path: Path) -> None:
    first = eraser.save(tmp_path / "a.safetensors")
    again = Eraser.load(first).save(tmp_path / "b.safetensors")
    assert again.read_bytes() == first.read_bytes()


def test_numbers_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    stage: dict[str, Any] = {
        "expression": "x",
        "name": "x",
        "parameters": {},
        "inputs": {},
        "details": {},
        "seed": None,
    }
    stage |= {"seed": None, "version": "", "words": [], "warnings": []}
    stage["steps"] = [{"each vector": "dense", "facts": {"offset": None}, "spared": []}]
    header = {"kind": "unslant eraser 1", "stages": json.dumps([stage])}
    for value, expected in ((1.0, None), (np.nan, "finite"), (np.inf, "finite")):
        path = tmp_path / "e.safetensors"
        path.write_bytes(sealed({"0.0.matrix": np.full((2, 2), value)}, header))
        if expected is None:
            assert Eraser.load(path).dim == 2
        else:
            with pytest.raises(DamagedFileError, match=expected):
                Eraser.load(path)
    deep = {**header, "stages": "[" * 100_000}
    path.write_bytes(sealed({"0.0.matrix": np.ones((2, 2))}, deep))
    with pytest.raises(DamagedFileError):
        Eraser.load(path)


def test_arrays_that_do_not_fit_together_are_refused_when_loaded(tmp_path: Path) -> None:
    path = fit("oscar", load(limit=5000), concept("gender")).save(tmp_path / "e.safetensors")
    raw, tensors = path.read_bytes(), load_file(path)
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])["__metadata__"]
    del header["seal"]
    for name, shape in (("0.0.turned", (3,)), ("0.0.kept", ()), ("0.0.kept", (2, 100))):
        path.write_bytes(sealed({**tensors, name: np.ones(shape)}, header))
        assert "is not a complete eraser" in refusal(path)
    stages = header["stages"].replace('"expression": "oscar"', '"expression": 5')
    path.write_bytes(sealed(tensors, {**header, "stages": stages}))
    assert "(stages[0].expression: expected text, found a whole number)" in refusal(path)


def test_other_files_are_refused_by_what_they_are(tmp_path: Path) -> None:
    vectors = load(limit=100)
    with pytest.raises(FileFormatError, match="does not exist"):
        Eraser.load(tmp_path / "none.safetensors")
    with pytest.raises(FileFormatError, match="not a fitted eraser"):
        Eraser.load(save(vectors, tmp_path / "v.safetensors"))
    (tmp_path / "p.safetensors").write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises(FileFormatError, match="not a fitted eraser"):
        Eraser.load(tmp_path / "p.safetensors")


def test_an_eraser_that_cannot_be_written_leaves_nothing_behind(
    eraser: Eraser, tmp_path: Path
) -> None:
    with pytest.raises(OutputError, match="Cannot write"):
        eraser.save(tmp_path / "no" / "e.safetensors")
    assert list(tmp_path.iterdir()) == []


def test_it_acts_on_other_vectors_of_the_same_width_only(eraser: Eraser) -> None:
    narrow = WordVectors.of({"she": [1.0, 0.0], "he": [0.0, 1.0]})
    with pytest.raises(UnslantError, match="width 100, but vectors has width 2"):
        debiased(narrow, eraser)
