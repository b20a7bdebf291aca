"""The study without training: which cells, which files, and what is kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from experiments.papers import dutta, study
from unslant.core.errors import UnslantError
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.store import Store


def _files(folder: Path, *, word2vec: str = "GoogleNews-bolukbasi.bin") -> None:
    for name in (word2vec, "glove.6B.100d.txt", "glove.840B.300d.txt"):
        (folder / name).write_text("", encoding="utf-8")


def test_either_selection_of_word2vec_will_do(tmp_path: Path) -> None:
    _files(tmp_path)
    assert study.vector_files(tmp_path)["word2vec"].name == "GoogleNews-bolukbasi.bin"
    _files(tmp_path, word2vec="GoogleNews-vectors-negative300.bin")
    assert study.vector_files(tmp_path)["word2vec"].name == "GoogleNews-vectors-negative300.bin"


def test_every_absent_file_is_named(tmp_path: Path) -> None:
    _files(tmp_path)
    (tmp_path / "glove.6B.100d.txt").unlink()
    with pytest.raises(UnslantError, match=r"has no glove\.6B\.100d\.txt\. .*VECTORS=DIR"):
        study.vector_files(tmp_path)


def test_nothing_is_trained_and_every_other_cell_is_computed(tmp_path: Path) -> None:
    _files(tmp_path)
    whole = read_plan(study.PLAN)
    plan = study.without_training(whole, study.vector_files(tmp_path))
    assert len(plan.cells) == 343
    assert not any(cell.measure.retrain for cell in plan.cells)
    assert {Path(cell.resource.path).parent for cell in plan.cells} == {tmp_path}
    labels = {cell.label for cell in plan.cells}
    trained = {cell.label for cell in whole.cells} - labels
    assert {label[2] for label in trained} == {
        "E", "d", "he/she E", "he/she d", "occupations d", "names d",
    }  # fmt: skip


def test_trained_cells_stay_as_they_were_and_computed_ones_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tmp_path / "paper-tables.csv"
    before.write_text(
        ",".join(study.HEAD)
        + "\nGloVe,HD,gender,E,0.5,,,,\nGloVe,HD,gender,DB,0.9,,,,\nGloVe,HD,gender,MEN,0.7,,,,\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(study, "RESULT", before)
    monkeypatch.setattr(study, "run", lambda *_, **__: None)
    found: dict[str, object] = {"value": None, "interval": None, "p": None, "words": []}
    weat = {
        "value": 1.25,
        "interval": {"low": 0.5, "high": 1.5},
        "p": {"value": 0.01},
        "words": [{"used": ["a"] * n} for n in (8, 7, 6, 5)],
    }

    class Item:
        def __init__(self, label: tuple[Any, ...], measurement: object) -> None:
            self.label, self.result = label, {"measurement": measurement}

    items = [
        Item(("GloVe", "HD", "DB", "gender", 0), found),
        Item(("GloVe", "original", "WEAT 6", "gender", 0), weat),
    ]
    monkeypatch.setattr(Store, "records", lambda _: items)
    nothing: Callable[..., None] = lambda *_: None  # noqa: E731
    (tmp_path / "v").mkdir()
    _files(tmp_path / "v")
    made = study.compute(study.vector_files(tmp_path / "v"), tmp_path / "w", 1, nothing)
    before.write_text(made, encoding="utf-8")
    cells = study.results()
    assert cells["GloVe", "HD", "gender", "E"].value == 0.5
    assert cells["GloVe", "HD", "gender", "DB"].value is None
    assert ("GloVe", "HD", "gender", "MEN") not in cells  # it could not be computed this time
    assert cells["GloVe", "original", "gender", "WEAT 6"] == study.Cell(
        1.25, 0.5, 1.5, 0.01, "8+7+6+5"
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ((0.9, 0.01), (0.4, 0.04), "yes"),
        ((-0.9, 0.01), (0.4, 0.04), "no: other direction"),
        ((0.1, 0.5), (-0.1, 0.3), "yes: none shown"),
        ((0.9, 0.01), (0.1, 0.3), "no: only ours"),
        ((0.1, 0.5), (0.9, 0.0), "no: only theirs"),
    ],
)
def test_two_tests_have_the_same_finding_or_not(
    ours: tuple[float, float], theirs: tuple[float, float], said: str
) -> None:
    assert dutta._agreement(*ours, *theirs) == said
