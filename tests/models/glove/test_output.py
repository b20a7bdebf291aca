"""From a corpus to a file: what is written, kept after a stop, refused, and seen as views."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.models.glove.made import leaning_text
from unslant.core.errors import DamagedFileError, OutputError, UnslantError
from unslant.models.glove import counts as counts_module
from unslant.models.glove.counts import counts_of
from unslant.models.glove.neutral import view
from unslant.models.glove.output import Attribute, record_path, train_to, work_folder
from unslant.models.glove.settings import CountSettings, GloveSettings
from unslant.vectors import WordVectors, load

pytest.importorskip("numba")

COUNTING = CountSettings(window=5)
HOW = GloveSettings(dimensions=8, iterations=3)
GENDER = Attribute(concept="gender")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_text(leaning_text(600, 40))
    return path


def test_vectors_and_record_are_written_and_nothing_else_remains(
    corpus: Path, tmp_path: Path
) -> None:
    made = train_to(tmp_path / "v.safetensors", corpus, COUNTING, HOW, GENDER, note="made up")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["v.json", "v.safetensors"]
    back = load(tmp_path / "v.safetensors", cache=False)
    assert (back.matrix == made.vectors.matrix).all()
    assert list(back.words) == list(made.vectors.words)
    assert back.name == "v"
    record = json.loads((tmp_path / "v.json").read_text())
    assert record == json.loads(json.dumps(made.record))
    assert [sorted(each) for each in record["iterations"]] == [
        ["apart", "leaning", "loss", "seconds"]
    ] * 3
    assert record["groups"]["words"] == {"female": 6, "male": 6}
    assert record["corpus"]["tokens"] == 8 * 600
    assert record["settings"]["neutral"]["form"] == "l1"
    assert record["note"] == "made up"


def test_w_a_and_w_g_are_views_of_the_file(corpus: Path, tmp_path: Path) -> None:
    train_to(tmp_path / "v.safetensors", corpus, COUNTING, HOW, GENDER)
    whole = load(tmp_path / "v.safetensors", cache=False)
    w_a, w_g = view(whole, "w_a"), view(whole, "w_g")
    assert (np.hstack([w_a.matrix, w_g.matrix]) == whole.matrix).all()
    assert (w_a.dim, w_g.dim, w_a.name, w_g.name) == (7, 1, "v.w_a", "v.w_g")
    with pytest.raises(UnslantError, match="w_a, w_g"):
        view(whole, "w_b")
    with pytest.raises(UnslantError, match="does not say which of its coordinates are w_g"):
        view(WordVectors.of({"a": [1.0, 2.0], "b": [2.0, 1.0]}), "w_a")
    with pytest.raises(UnslantError, match="does not say which"):
        view(w_a, "w_a")


class Stop:
    """Progress that ends as Ctrl-C does when something is reported."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __call__(self, what: str, done: int, total: int) -> None:
        if what.startswith(self.what):
            raise KeyboardInterrupt


@pytest.mark.parametrize("what", ["Hashing", "Counting", "Merging", "Iteration 1", "Iteration 3"])
def test_a_command_that_was_stopped_anywhere_ends_in_the_same_bytes(
    corpus: Path, tmp_path: Path, what: str
) -> None:
    whole, stopped = tmp_path / "whole.npz", tmp_path / "stopped.npz"
    train_to(whole, corpus, COUNTING, HOW, GENDER)
    with pytest.raises(KeyboardInterrupt):
        train_to(stopped, corpus, COUNTING, HOW, GENDER, progress=Stop(what))
    assert not stopped.exists()
    assert not list(work_folder(stopped).glob("**/*.partial"))
    train_to(stopped, corpus, COUNTING, HOW, GENDER)
    assert stopped.read_bytes() == whole.read_bytes()
    assert not work_folder(stopped).exists()


def test_counts_are_kept_and_used_by_several_trainings(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "counts"
    alone = train_to(tmp_path / "a.npz", corpus, COUNTING, HOW)
    train_to(tmp_path / "b.npz", corpus, COUNTING, HOW, GENDER, counts_folder=kept)
    assert (kept / "counts.json").exists()
    monkeypatch.setattr(counts_module, "counted", lambda *_: pytest.fail("counted again"))
    shared = train_to(tmp_path / "c.npz", corpus, COUNTING, HOW, counts_folder=kept)
    assert shared.vectors.matrix.tobytes() == alone.vectors.matrix.tobytes()


def test_counts_of_other_text_or_damaged_ones_are_refused(corpus: Path, tmp_path: Path) -> None:
    kept = tmp_path / "counts"
    counts_of(corpus, COUNTING, kept)
    with pytest.raises(OutputError, match="counts of other text or settings"):
        counts_of(corpus, CountSettings(window=4), kept)
    counts_of(corpus, CountSettings(window=5, memory=2), kept)  # memory changes nothing
    cells = bytearray((kept / "cells.bin").read_bytes())
    cells[100] ^= 1
    (kept / "cells.bin").write_bytes(cells)
    with pytest.raises(DamagedFileError, match=r"cells\.bin was changed"):
        counts_of(corpus, COUNTING, kept)


def test_a_full_disk_is_said_and_leaves_nothing_half_written(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(counts_module, "write_cells", full)
    with pytest.raises(OutputError, match=r"Cannot write .*counts: No space left on device"):
        train_to(tmp_path / "v.npz", corpus, COUNTING, HOW)
    assert not list(tmp_path.iterdir())


def test_records_stand_beside_vectors_of_any_format() -> None:
    assert record_path(Path("a/v.txt.gz")) == Path("a/v.json")
    assert record_path(Path("glove.6B.vec")) == Path("glove.6B.json")
