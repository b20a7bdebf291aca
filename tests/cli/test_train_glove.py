"""``unslant train glove`` and ``gn-glove`` as people run them."""

from pathlib import Path

import numpy as np
import pytest

import unslant as us
from tests.command_line import json_of, unslant
from tests.models.glove.made import leaning_text
from unslant.vectors import load

pytest.importorskip("numba")

SMALL = ("--dimensions", "8", "--iterations", "3", "--window", "5")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(leaning_text(600, 40))
    return tmp_path


def test_vectors_are_trained_and_views_written(folder: Path) -> None:
    said = unslant("train", "gn-glove", "text.txt", "-o", "n.safetensors", *SMALL, cwd=folder)
    assert "6 female, 6 male, 40 neutral" in said.stdout
    assert "n (52 words × 8) written to n.safetensors" in said.stdout
    assert "words of gendered do not occur often enough" in said.stderr
    unslant(
        "files", "convert", "n.safetensors", "-o", "w_a.safetensors", "--view", "w_a", cwd=folder
    )
    w_a = load(folder / "w_a.safetensors", cache=False)
    dropped = us.debias("drop-last", load(folder / "n.safetensors", cache=False), "gender")
    assert w_a.dim == 7
    np.testing.assert_allclose(w_a.matrix, dropped.matrix, rtol=1e-6)


@pytest.mark.parametrize("name", ["g.txt", "g.vec.gz", "g.bin"])
def test_glove_writes_any_format_with_its_record(folder: Path, name: str) -> None:
    record = json_of("train", "glove", "text.txt", "-o", name, *SMALL, "--json", cwd=folder)
    losses = [each["loss"] for each in record["iterations"]]
    assert losses == sorted(losses, reverse=True)
    assert load(folder / name, cache=False).matrix.shape == (52, 8)
    assert (folder / "g.json").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("glove", "none.txt", "-o", "v.npz"), "none.txt does not exist"),
        (("glove", "text.txt", "-o", "v.zzz"), "suffix does not determine a format"),
        (("glove", "text.txt", "-o", "no/v.npz"), "folder that does not exist"),
        (("glove", "text.txt", "-o", "v.npz", "--minimum", "90000"), "Use more text, or a lower"),
        (("glove", "text.txt", "-o", "v.npz", "--boundary", "page"), "file, line, paragraph"),
        (("glove", "text.txt", "-o", "v.npz", "--window", "0"), "window must be at least 1"),
        (("gn-glove", "text.txt", "-o", "v.npz", "--concept", "religion"), "3 groups"),
        (("gn-glove", "text.txt", "-o", "v.npz", "--concept", "race"), "no words of"),
        (("gn-glove", "text.txt", "-o", "v.npz", "--words", "nothing"), "gendered"),
        (("gn-glove", "text.txt", "-o", "v.npz", "--form", "l3"), "l1, l2"),
        (("glove", "empty.txt", "-o", "v.npz"), "contains no words"),
    ],
)
def test_a_mistake_is_answered_in_a_sentence(
    folder: Path, args: tuple[str, ...], message: str
) -> None:
    (folder / "empty.txt").write_text("")
    said = unslant("train", *args, cwd=folder, code=2)
    assert message in said.stderr.replace("\n", " ")
    assert not (folder / "v.npz").exists()
    assert (folder / "v.npz.work").exists() == (message == "no words of"), "only counts are kept"


def test_an_existing_file_is_kept_unless_told_otherwise(folder: Path) -> None:
    (folder / "v.npz").write_text("mine")
    said = unslant("train", "glove", "text.txt", "-o", "v.npz", *SMALL, cwd=folder, code=2)
    assert "v.npz exists" in said.stderr
    assert (folder / "v.npz").read_text() == "mine"
    unslant("train", "glove", "text.txt", "-o", "v.npz", *SMALL, "--overwrite", cwd=folder)
    assert load(folder / "v.npz", cache=False).dim == 8


def test_without_numba_the_answer_is_how_to_install_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "numba", None)
    said = unslant("train", "glove", "text.txt", "-o", "v.npz", cwd=folder, code=2)
    assert 'pip install "unslant[glove]"' in said.stderr.replace("\n", " ")
    assert not (folder / "v.npz.work").exists()
