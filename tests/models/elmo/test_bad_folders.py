"""Folders that lack a file, have too many, or lead elsewhere."""

import os
import sys
from pathlib import Path

import pytest

from tests.models.elmo.asking import asked, refusal
from unslant.core.errors import UnsafeFileError, UnslantError
from unslant.models.elmo import load_elmo
from unslant.models.language.model import load_model


def test_weights_are_one_file(made_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "options.json").write_bytes((made_folder / "options.json").read_bytes())
    assert "Found none" in refusal(tmp_path)
    weights = (made_folder / "weights.hdf5").read_bytes()
    for name in ("a.hdf5", "b.hdf5"):
        (tmp_path / name).write_bytes(weights)
    assert "Found a.hdf5, b.hdf5" in refusal(tmp_path)
    (tmp_path / "elmo_weights.hdf5").write_bytes(weights)
    asked(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04}", b"\x89HDF\r\n\x1a\n"])
def test_weights_of_another_format_are_refused(
    content: bytes, made_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "options.json").write_bytes((made_folder / "options.json").read_bytes())
    (tmp_path / "weights.hdf5").write_bytes(content)
    refusal(tmp_path)


def test_links_and_pipes_are_refused(made_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "options.json").write_bytes((made_folder / "options.json").read_bytes())
    (tmp_path / "weights.hdf5").symlink_to(made_folder / "weights.hdf5")
    with pytest.raises(UnsafeFileError, match="leads out of the model's folder"):
        load_model(tmp_path)
    (tmp_path / "weights.hdf5").unlink()
    os.mkfifo(tmp_path / "weights.hdf5")
    with pytest.raises(UnsafeFileError, match="pipe"):
        load_model(tmp_path)


def test_a_folder_is_not_read_without_h5py_but_says_what_to_install(
    made_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(UnslantError, match=r"unslant\[lm\]"):
        load_elmo(made_folder)
