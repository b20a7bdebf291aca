"""Erasers in files: damaged, foreign and hostile ones are refused with a reason."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from unslant.concepts import concept
from unslant.core.errors import DamagedFileError, FileFormatError, OutputError, UnslantError
from unslant.methods import Eraser, debiased, fit
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
    for size in np.linspace(0, len(raw) - 1, 40, dtype=int).tolist():
        path.write_bytes(raw[:size])
        with pytest.raises(DamagedFileError, match="fit the method again"):
            Eraser.load(path)


def test_flipped_bytes_of_the_header_never_escape_as_bugs(eraser: Eraser, tmp_path: Path) -> None:
    raw = eraser.save(tmp_path / "e.safetensors").read_bytes()
    header = int.from_bytes(raw[:8], "little")
    rng, path = np.random.default_rng(0), tmp_path / "flipped.safetensors"
    for place in rng.integers(8, 8 + header, size=150).tolist():
        path.write_bytes(
            raw[:place] + bytes([raw[place] ^ (1 << rng.integers(8))]) + raw[place + 1 :]
        )
        try:
            Eraser.load(path)
        except (DamagedFileError, FileFormatError) as error:
            refusal = str(error)
        else:
            continue  # a letter of a word or a remark: nothing that could be noticed
        assert str(path) in refusal


def test_numbers_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    stage: dict[str, Any] = {
        "expression": "x",
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
        save_file({"0.0.matrix": np.full((2, 2), value)}, path, metadata=header)
        if expected is None:
            assert Eraser.load(path).dim == 2
        else:
            with pytest.raises(DamagedFileError, match=expected):
                Eraser.load(path)
    save_file({"0.0.matrix": np.ones((2, 2))}, path, metadata={**header, "stages": "[" * 100_000})
    with pytest.raises(DamagedFileError):
        Eraser.load(path)


def test_other_files_are_refused_by_what_they_are(tmp_path: Path) -> None:
    vectors = load(limit=100)
    with pytest.raises(FileFormatError, match="does not exist"):
        Eraser.load(tmp_path / "none.safetensors")
    with pytest.raises(FileFormatError, match="not a fitted eraser"):
        Eraser.load(save(vectors, tmp_path / "v.safetensors"))
    (tmp_path / "p.safetensors").write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises(DamagedFileError):
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
