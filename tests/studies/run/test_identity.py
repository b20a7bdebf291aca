"""The id of a cell: another for every other input, the same for the same."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import UnslantError
from unslant.core.expression import Call
from unslant.studies.plan.cells import Cell, PlannedMeasure, PlannedResource
from unslant.studies.plan.reading import read_plan
from unslant.studies.run import identity
from unslant.studies.run.identity import FileHashes, cell_id, inputs_of

ROOT = Path(__file__).resolve().parents[3]
SETS = ROOT / "src" / "unslant" / "probes" / "nli" / "data" / "sets"


def _id(cell: Cell) -> str:
    return cell_id(inputs_of(cell, FileHashes()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Every kind of file that a cell may name."""
    folder = tmp_path / "files"
    folder.mkdir()
    shutil.copy(ROOT / "examples" / "pets.toml", folder)
    shutil.copy(SETS / "marked-attribute.toml", folder / "set.toml")
    (folder / "vectors.txt").write_text("a 1 2\nb 3 4\n")
    (folder / "model.safetensors").write_bytes(b"model")
    (folder / "pairs.txt").write_text("dog cat 3\n")
    (folder / "q.questions").write_text("a b c\n")
    (folder / "q.answers").write_text("s d\n")
    (folder / "snli").mkdir()
    for kind in ("train", "dev", "test"):
        (folder / "snli" / f"snli_1.0_{kind}.jsonl").write_text(kind)
    return folder


def _cell(folder: Path, **changes: Any) -> Cell:
    cell = Cell(
        resource=PlannedResource(label="v", path=str(folder / "vectors.txt")),
        method="hard | misp",
        method_label="hard, then misp",
        measure=PlannedMeasure(label="WEAT", expression="weat", test="career-family"),
        concept=str(folder / "pets.toml"),
    )
    return replace(cell, **changes)


def _asking(folder: Path, *, model: str = "", retrain: str = "", **given: str | int) -> Cell:
    chosen = {"set": str(folder / "set.toml"), "contexts": 20, **given}
    expression = str(Call("nli", kwargs=tuple(chosen.items())))
    by = {"model": model, "retrain": retrain}
    return _cell(
        folder,
        measure=PlannedMeasure(label="E", expression=expression, score="marked-error", **by),
    )


def _benchmark(folder: Path, dataset: str, metric: str = "similarity") -> Cell:
    return _cell(
        folder, measure=PlannedMeasure(label="S", expression=f'{metric}(dataset="{dataset}")')
    )


def _of_measure(**changes: Any) -> Callable[[Cell], Cell]:
    return lambda cell: replace(cell, measure=replace(cell.measure, **changes))


def _of_resource(**changes: Any) -> Callable[[Cell], Cell]:
    return lambda cell: replace(cell, resource=replace(cell.resource, **changes))


CHANGES: dict[str, Callable[[Cell], Cell]] = {
    "limit": _of_resource(limit=1),
    "other vectors": _of_resource(path="builtin"),
    "method": lambda cell: replace(cell, method="hard"),
    "no method": lambda cell: replace(cell, method=""),
    "parameter of a method": lambda cell: replace(cell, method="hard | misp(assignment=x)"),
    "concept": lambda cell: replace(cell, concept="gender"),
    "metric": _of_measure(expression="ect"),
    "parameter of a metric": _of_measure(expression="weat(ddof=0)"),
    "test": _of_measure(test="math-arts"),
    "detail": _of_measure(detail="x"),
    "probe": _of_measure(expression="nli(set=marked-attribute)", test="", score="marked-error"),
    "missing": lambda cell: replace(cell, missing="balance"),
    "case": lambda cell: replace(cell, case="any"),
    "seed": lambda cell: replace(cell, seed=1),
}


def test_every_other_input_gives_another_id(folder: Path) -> None:
    cell = _cell(folder)
    ids = [_id(cell), *(_id(change(cell)) for change in CHANGES.values())]
    assert len(set(ids)) == len(CHANGES) + 1


def test_every_other_option_of_a_probe_gives_another_id(folder: Path) -> None:
    model, snli = str(folder / "model.safetensors"), str(folder / "snli")
    cells = [
        _asking(folder),
        _asking(folder, contexts=21),
        _asking(folder, determiner="a"),
        _asking(folder, pairing="all-things"),
        _asking(folder, set="names"),
        _asking(folder, set="occupations"),
        _asking(folder, model=model),
        _asking(folder, retrain=snli),
        replace(_asking(folder), seed=1),
        _of_measure(score="marked-distance")(_asking(folder)),
        _of_measure(detail="x")(_asking(folder)),
    ]
    assert len({_id(cell) for cell in cells}) == len(cells)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("vectors.txt", _cell),
        ("pets.toml", _cell),
        ("set.toml", _asking),
        ("model.safetensors", lambda f: _asking(f, model=str(f / "model.safetensors"))),
        ("snli/snli_1.0_train.jsonl", lambda f: _asking(f, retrain=str(f / "snli"))),
        ("snli/snli_1.0_dev.jsonl", lambda f: _asking(f, retrain=str(f / "snli"))),
        ("snli/snli_1.0_test.jsonl", lambda f: _asking(f, retrain=str(f / "snli"))),
        ("pairs.txt", lambda f: _benchmark(f, str(f / "pairs.txt"))),
        ("q.questions", lambda f: _benchmark(f, str(f / "q.questions"), "analogy")),
        ("q.answers", lambda f: _benchmark(f, str(f / "q.questions"), "analogy")),
    ],
)
def test_a_changed_file_gives_another_id_and_a_moved_one_does_not(
    folder: Path, name: str, cell: Callable[[Path], Cell]
) -> None:
    facts = FileHashes()
    before = cell_id(inputs_of(cell(folder), facts))
    assert cell_id(inputs_of(cell(folder), facts)) == before
    moved = folder.rename(folder.with_name("moved"))
    assert cell_id(inputs_of(cell(moved), facts)) == before
    path = moved / name
    swaps = {"pets.toml": ("kitten", "tomcat"), "set.toml": ('"person"', '"human"')}
    if name in swaps:
        text = path.read_text(encoding="utf-8")
        changed = text.replace(*swaps[name], 1)
        assert changed != text
        path.write_text(changed, encoding="utf-8")
    else:
        path.write_bytes(path.read_bytes() + b"\n")
    assert cell_id(inputs_of(cell(moved), facts)) != before
    assert str(moved) not in json.dumps(inputs_of(cell(moved), facts))


def test_a_change_of_equal_size_is_seen_by_the_same_facts(folder: Path) -> None:
    facts = FileHashes()
    path = folder / "vectors.txt"
    before = facts.sha256(path)
    path.write_text("a 1 2\nb 3 5\n")
    assert facts.sha256(path) == hashlib.sha256(b"a 1 2\nb 3 5\n").hexdigest() != before


def test_another_version_gives_another_id(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _id(_cell(folder))
    monkeypatch.setattr(identity, "__version__", "99.0")
    assert _id(_cell(folder)) != before


def test_two_resources_with_the_same_bytes_share_an_id(folder: Path) -> None:
    shutil.copy(folder / "vectors.txt", folder / "copy.vec")
    other = PlannedResource(label="copy", path=str(folder / "copy.vec"))
    cell = _cell(folder)
    relabelled = replace(
        cell, resource=other, method_label="x", measure=replace(cell.measure, label="y")
    )
    assert _id(relabelled) == _id(cell)


def test_the_labels_names_and_order_of_a_plan_do_not_matter(folder: Path) -> None:
    one = """name = "one"
[resources]
a = "builtin"
b = "vectors.txt"
[methods]
h = "hard|misp"
[measures]
x = "direct-bias( neutral = most-frequent )"
y = { measure = "weat", test = "math-arts" }
[[matrix]]
"""
    other = """name = "other"
about = "the same in other words"
[measures]
"why?" = { test = "math-arts", measure = "weat" }
ex = "direct-bias(neutral=most-frequent)"
[methods]
"hard, then misp" = "hard | misp"
[resources]
bee = "../files/vectors.txt"
[[cell]]
resource = "bee"
method = "hard, then misp"
measure = "ex"
[[matrix]]
resources = ["bee"]
measures = ["why?"]
[[matrix]]
resources = ["ay"]
"""
    other = other.replace("bee =", 'ay = "builtin"\nbee =')
    ids = []
    for name, text in (("one.toml", one), ("other.toml", other)):
        (folder / name).write_text(text)
        ids.append({_id(cell) for cell in read_plan(folder / name).cells})
    assert ids[0] == ids[1]
    assert len(ids[0]) == 4


def test_the_id_is_the_hash_of_canonical_json(folder: Path) -> None:
    inputs = inputs_of(_cell(folder, method="é"), FileHashes())
    text = json.dumps(inputs, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert cell_id(inputs) == hashlib.sha256(text.encode()).hexdigest()[:16]
    assert cell_id(dict(reversed(inputs.items()))) == cell_id(inputs)
    assert json.loads(text) == inputs
    sha256 = hashlib.sha256((folder / "vectors.txt").read_bytes()).hexdigest()
    assert inputs["resource"] == {"sha256": sha256, "limit": None}


def test_a_resource_that_is_elsewhere_is_known_by_the_hash_in_the_plan(folder: Path) -> None:
    sha256 = hashlib.sha256((folder / "vectors.txt").read_bytes()).hexdigest()
    here = _id(_cell(folder))
    far = PlannedResource(label="far", path="", url="https://x.org/v", sha256=sha256)
    assert _id(_cell(folder, resource=far)) == here
    gone = replace(far, path=str(folder / "gone.txt"))
    assert _id(_cell(folder, resource=gone)) == here


def test_a_file_that_is_not_the_one_of_the_plan_is_refused(folder: Path) -> None:
    wrong = PlannedResource(label="v", path=str(folder / "vectors.txt"), sha256="0" * 64)
    with pytest.raises(UnslantError, match='not the file that the plan means by "v"'):
        _id(_cell(folder, resource=wrong))


@pytest.mark.parametrize("path", ["gone.txt", "snli"])
def test_a_file_that_cannot_be_read_is_told_in_one_sentence(folder: Path, path: str) -> None:
    absent = PlannedResource(label="v", path=str(folder / path))
    with pytest.raises(UnslantError, match=r"cannot be read: No such file|is a folder; a file"):
        _id(_cell(folder, resource=absent))
    with pytest.raises(UnslantError, match=r"no train data|Cannot read"):
        _id(_asking(folder, retrain=str(folder / "gone")))


def test_hashes_are_found_without_a_cache_that_can_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_CACHE", str(folder / "vectors.txt"))
    expected = hashlib.sha256((folder / "vectors.txt").read_bytes()).hexdigest()
    assert FileHashes().sha256(folder / "vectors.txt") == expected


def test_a_file_is_read_once_for_all_cells(folder: Path) -> None:
    read: list[str] = []
    facts = FileHashes(progress=lambda what, done, total: read.append(what))
    for seed in range(50):
        inputs_of(_cell(folder, seed=seed), facts)
    assert read == ["Hashing"]


def test_a_pipe_that_would_be_read_for_ever_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(UnslantError, match="pipe is a pipe or a device; a file was expected"):
        _id(_cell(folder, resource=PlannedResource(label="v", path=str(folder / "pipe"))))
