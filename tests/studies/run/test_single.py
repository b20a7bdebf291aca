"""One cell by itself: found by any of its names, and computed again as if it were the first."""

import os
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import UnslantError
from unslant.core.files import cache_folder
from unslant.methods.pipeline import fit
from unslant.studies.plan.reading import read_plan
from unslant.studies.run import compute as compute_module
from unslant.studies.run.run import run
from unslant.studies.run.single import found_cell, nothing_kept, recomputed, record_of
from unslant.studies.run.store import Store

PLAN = """
[resources]
slice = "builtin"
gone = "gone.txt"
[methods]
hard = "hard"
"hard again" = "hard"
random = "random"
[measures]
WEAT = { measure = "weat(resamples=10)", test = "career-family" }
wrong = { measure = "weat(resamples=10)", test = "career-family", detail = "nothing" }
[[matrix]]
resources = ["slice"]
methods = ["hard", "hard again"]
measures = ["WEAT"]
[[matrix]]
resources = ["slice"]
methods = ["random"]
measures = ["WEAT"]
seeds = [0, 1]
[[cell]]
resource = "slice"
method = "hard"
measure = "wrong"
[[cell]]
resource = "gone"
method = "hard"
measure = "WEAT"
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "plan.toml").write_text(PLAN)
    store = Store(tmp_path / "study")
    outcome = run(read_plan(tmp_path / "plan.toml"), store)
    assert (outcome.done, outcome.failed) == (4, 2)
    return store


def test_a_cell_agrees_under_each_of_the_labels_that_share_its_file(store: Store) -> None:
    one, other = (found_cell(store, f"slice/{name}/WEAT") for name in ("hard", "hard again"))
    assert one.id == other.id
    for entry in (one, other):
        record = record_of(store, entry)
        assert record["label"] == list(entry.label)
        assert recomputed(store, entry) == record


def test_it_is_computed_anew_and_not_from_what_the_run_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = []

    def noted(method: str, *rest: Any) -> Any:
        fitted.append(method)
        return fit(method, *rest)

    monkeypatch.setattr(compute_module, "fit", noted)
    entry = found_cell(store, "slice/hard/WEAT")
    before = os.environ["UNSLANT_CACHE"]
    assert recomputed(store, entry) == record_of(store, entry)
    assert fitted == ["hard"]
    assert os.environ["UNSLANT_CACHE"] == before
    assert not list(cache_folder().glob("afresh-*"))


def test_an_empty_cache_has_the_downloads_of_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNSLANT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    usual = cache_folder()
    for name in ("downloads", "studies"):
        (usual / name).mkdir(parents=True)
        (usual / name / "file").write_text("kept")
    with nothing_kept():
        assert cache_folder() != usual
        assert (cache_folder() / "downloads" / "file").read_text() == "kept"
        assert not (cache_folder() / "studies").exists()
    assert cache_folder() == usual
    assert (usual / "downloads" / "file").read_text() == "kept"


@pytest.mark.parametrize("name", ["slice/random/WEAT/gender/1", None])
def test_a_cell_is_found_by_its_whole_name_or_the_first_digits_of_its_id(
    store: Store, name: str | None
) -> None:
    [wanted] = [entry for entry in store.index() if entry.label[4] == 1]
    assert found_cell(store, name or wanted.id[:8]) == wanted


def test_a_name_of_several_cells_is_answered_with_their_whole_names(store: Store) -> None:
    for name in ("slice/random/WEAT", "slice/random/WEAT/gender"):
        with pytest.raises(UnslantError, match="may be any of 2 cells") as error:
            found_cell(store, name)
        assert "slice/random/WEAT/gender/0 (" in str(error.value)
        assert "slice/random/WEAT/gender/1 (" in str(error.value)


@pytest.mark.parametrize("name", ["slice/random", "", "ffff", "a"])
def test_a_name_of_no_cell_is_answered_with_how_cells_are_named(store: Store, name: str) -> None:
    with pytest.raises(UnslantError, match="as in: slice/hard/WEAT"):
        found_cell(store, name)


def test_a_cell_without_a_record_says_why(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UnslantError, match=r'hard/wrong/gender/0 has no record.*"nothing"'):
        record_of(store, found_cell(store, "slice/hard/wrong"))
    with pytest.raises(UnslantError, match=r"gone/hard/WEAT/gender/0 has no record.*gone\.txt"):
        record_of(store, found_cell(store, "gone/hard/WEAT"))
    entry = found_cell(store, "slice/hard/WEAT")
    store.path(entry.id).unlink()
    with pytest.raises(UnslantError, match="It is not computed yet"):
        record_of(store, entry)
    with pytest.raises(UnslantError, match="holds no study"):
        found_cell(Store(tmp_path / "nowhere"), "slice/hard/WEAT")
