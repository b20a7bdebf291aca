"""The folder of a study: sealed cells, failures, the plan, the lock and the status."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.studies.run.trivial import plan_in
from tests.tallies import Tally
from unslant.core.errors import DamagedFileError, OutputError, UnslantError
from unslant.studies.run.contents import status
from unslant.studies.run.plan_folder import PlannedCell
from unslant.studies.run.store import Store, canonical, packed, unpacked

A, B = "aa00000000000001", "bb00000000000002"
TIMES = {"seconds": 1.5, "finished": "2026-01-01T00:00:00+00:00", "machine": "here"}
LABEL = ("slice", "hard", "WEAT 6", "gender", 0)


def result(cell: str = A, value: float = 0.25) -> dict[str, Any]:
    return {"measurement": {"value": value, "title": "α\u2028\n"}, "id": cell}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "study")
    store.write(A, result(), TIMES)
    return store


def test_a_cell_comes_back_as_it_was_written(store: Store) -> None:
    assert store.read(A) == result()
    assert store.times(A) == TIMES
    assert store.done() == {A}
    assert Store(store.folder).state(A) == "done"
    assert store.state(B) == "missing"
    with pytest.raises(UnslantError, match=f"has no finished cell {B}"):
        store.read(B)


def test_the_file_is_three_lines_that_anybody_can_check(store: Store) -> None:
    path = store.folder / "cells" / "aa" / f"{A}.json"
    first, second, third = path.read_text().splitlines()
    assert json.loads(first) == result()
    assert first == json.dumps(result(), sort_keys=True, separators=(",", ":"))
    assert json.loads(second) == TIMES
    assert third == hashlib.sha256(f"{first}\n{second}\n".encode()).hexdigest()


def test_equal_results_make_equal_lines_whatever_their_order(store: Store) -> None:
    other = Store(store.folder.parent / "other")
    other.write(A, dict(reversed(result().items())), {"seconds": 9})
    lines = [one.path(A).read_bytes().split(b"\n") for one in (store, other)]
    assert lines[0][0] == lines[1][0]
    assert lines[0][1] != lines[1][1]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[:-30],
    "without its last line end": lambda whole: whole[:-1],
    "first line only": lambda whole: whole.split(b"\n")[0] + b"\n",
    "longer": lambda whole: whole + b"x",
    "another number": lambda whole: whole.replace(b"0.25", b"0.26"),
    "another time": lambda whole: whole.replace(b"1.5", b"0.5"),
    "not JSON": lambda whole: b"\x00\xff" * 50,
    "no object": lambda whole: sealed(b"[1]\n{}\n"),
    "another cell": lambda whole: packed(canonical(result(B)), TIMES),
    "no cell": lambda whole: packed(canonical({"value": 1}), TIMES),
}


def sealed(content: bytes) -> bytes:
    return content + hashlib.sha256(content).hexdigest().encode() + b"\n"


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file_is_never_used(store: Store, how: str) -> None:
    path = store.path(A)
    path.write_bytes(DAMAGE[how](path.read_bytes()))
    assert store.state(A) == "damaged"
    assert store.done() == set()
    with pytest.raises(DamagedFileError, match=f"is not the file that was written for cell {A}"):
        store.read(A)


def test_any_changed_byte_is_noticed(tally: Tally) -> None:
    whole = packed(canonical(result()), TIMES)
    assert unpacked(whole, A, "it") == (result(), TIMES)
    for place in range(len(whole)):
        for flip in (1, 128):
            changed = whole[:place] + bytes([whole[place] ^ flip]) + whole[place + 1 :]
            with pytest.raises(DamagedFileError):
                unpacked(changed, A, "it")
    for size in range(len(whole)):
        with pytest.raises(DamagedFileError):
            unpacked(whole[:size], A, "it")
    tally(2 * len(whole))


def test_damaged_files_are_set_aside_without_replacing_each_other(store: Store) -> None:
    for text in ("one", "two", "three"):
        store.path(A).write_text(text)
        store.set_aside(A)
    assert store.state(A) == "missing"
    assert sorted(path.read_text() for path in store.folder.glob("damaged/*")) == [
        "one",
        "three",
        "two",
    ]
    assert set(store.damaged()) == {A}


def test_failures_are_kept_until_the_cell_is_done(store: Store) -> None:
    store.fail(B, "Words are missing.", LABEL, kind="MissingWordsError", trace="")
    (failure,) = store.failures().values()
    assert (failure.id, failure.message, failure.label) == (B, "Words are missing.", LABEL)
    store.write(B, result(B), TIMES)
    assert store.failures() == {}
    assert list(store.folder.glob("failures/*")) == []


def test_a_failure_file_that_cannot_be_read_is_none(store: Store) -> None:
    store.fail(B, "Words are missing.", LABEL)
    (path,) = store.folder.glob("failures/*.json")
    for text in ("", "[]", '{"id": 1}', "{"):
        path.write_text(text)
        assert store.failures() == {}


def test_a_result_that_json_cannot_hold_leaves_nothing(store: Store) -> None:
    with pytest.raises(ValueError, match="JSON"):
        store.write(B, result(B, float("nan")), TIMES)
    assert store.state(B) == "missing"
    assert list(store.folder.rglob("*.partial")) == []


# The plan -------------------------------------------------------------------------------------


def test_the_plan_comes_back_with_its_folder(tmp_path: Path) -> None:
    plan, store = plan_in(tmp_path), Store(tmp_path / "deep" / "study")
    assert store.save_plan(plan) == ""
    assert store.plan() == plan
    assert (store.folder / "plan.toml").read_text() == plan.text


def test_a_plan_that_replaces_another_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    store.save_plan(plan_in(tmp_path, 2))
    assert store.save_plan(plan_in(tmp_path, 2)) == ""
    assert "replaces an earlier version of it" in store.save_plan(plan_in(tmp_path, 3))
    assert "replaces another plan" in store.save_plan(plan_in(tmp_path, 3, name="other"))
    assert store.facts()["name"] == "other"


def test_a_plan_that_was_changed_or_half_replaced_is_not_used(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    store.save_plan(plan_in(tmp_path))
    (store.folder / "plan.toml").write_text('name = "changed"\n')
    with pytest.raises(DamagedFileError, match="Name the plan again"):
        store.plan()
    store.save_plan(plan_in(tmp_path))
    assert store.plan().name == "trivial"


def test_a_folder_of_other_things_is_no_place_for_a_study(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(OutputError, match=r"holds other files .* and no study"):
        Store(tmp_path).save_plan(plan_in(tmp_path))
    with pytest.raises(UnslantError, match="holds no study"):
        Store(tmp_path).plan()


def test_an_index_belongs_to_its_plan(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    store.save_plan(plan_in(tmp_path, 1))
    entries = (
        PlannedCell(label=LABEL, id=A),
        PlannedCell(label=(*LABEL[:4], 1), problem="No file."),
    )
    store.save_index(entries)
    assert store.index() == entries
    store.save_plan(plan_in(tmp_path, 2))
    assert store.index() == ()
    (store.folder / "index.json").write_text("{")
    with pytest.raises(DamagedFileError, match=r"index\.json is damaged"):
        store.index()


# Status and lock ------------------------------------------------------------------------------


def test_the_status_counts_every_planned_cell_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    with pytest.raises(UnslantError, match="holds no study"):
        status(store)
    store.save_plan(plan_in(tmp_path, 4))
    assert str(status(store)) == "0 of 8 cells are done, 8 not computed yet."
    cells = [f"{number:016x}" for number in range(6)]
    entries = [
        PlannedCell(label=("slice", "hard", "m", "gender", seed), id=cell)
        for seed, cell in enumerate([*cells, cells[0]])
    ]
    store.save_index([*entries, PlannedCell(label=LABEL, problem="No such file.")])
    store.write(cells[0], result(cells[0]), TIMES)
    store.fail(cells[1], "It failed.", entries[1].label)
    store.write(cells[2], result(cells[2]), TIMES)
    store.path(cells[2]).write_text("damaged")
    store.write(cells[3], result(cells[3]), TIMES)
    store.path(cells[3]).write_text("damaged too")
    store.set_aside(cells[3])
    found = status(store)
    assert str(found) == ("2 of 8 cells are done, 2 failed, 2 damaged, 2 not computed yet.")
    assert not found.is_complete
    assert [failure.message for failure in found.failures] == ["It failed.", "No such file."]
    assert [Path(path).parent.name for path in found.damaged_files] == ["00", "damaged"]
    with pytest.raises(DamagedFileError, match=cells[2]):
        list(store.records())
    store.set_aside(cells[2])
    assert [record.label[4] for record in store.records()] == [0, 6]


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    store = Store(tmp_path / "study")
    again = (
        "import sys; from unslant.studies.run.store import Store\n"
        "with Store(sys.argv[1]).locked(): print('mine')"
    )

    def other() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", again, store.folder], capture_output=True, text=True
        )

    with store.locked():
        said = other().stderr.splitlines()[-1]
        assert "Another run is at work on" in said
        assert "(process " in said
    assert other().stdout == "mine\n"
    with pytest.raises(OutputError, match=r"Cannot (write|make)"), Store("/proc/none").locked():
        pass


def test_a_folder_with_other_files_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="holds other files"), Store(tmp_path).locked():
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
