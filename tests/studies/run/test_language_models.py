"""Studies with language models: their cells, what cells share, and a run that was interrupted."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import unslant as us
from tests.studies.language_models import CONCEPT, real_model, tiny_bert
from unslant.core.errors import UnslantError
from unslant.core.files import cache_folder
from unslant.models.language import model as model_module
from unslant.models.language.weights import network
from unslant.reports.page import page
from unslant.studies.at_places import fit_at_places
from unslant.studies.plan.reading import read_plan
from unslant.studies.run import model_spaces
from unslant.studies.run.compute import compute
from unslant.studies.run.identity import FileHashes, cell_id, inputs_of
from unslant.studies.run.run import run
from unslant.studies.run.schedule import identified
from unslant.studies.run.single import found_cell, recomputed, record_of
from unslant.studies.run.store import Store
from unslant.studies.run.task import Task
from unslant.studies.study_record import study_record

PLAN = """
[resources]
last = "bert"
middle = { path = "bert", place = "layer:2[cls]", contexts = "plain" }
[methods]
original = ""
leace = "leace@layer:-1"
layerwise = "layerwise"
[measures]
WEAT = { measure = "weat(resamples=20)", test = "jobs" }
DB = "direct-bias(neutral=jobs)"
[[matrix]]
concept = "sides.toml"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("study")
    tiny_bert(made / "bert")
    (made / "plan.toml").write_text(PLAN)
    (made / "sides.toml").write_text(CONCEPT)
    return made


@pytest.fixture(autouse=True)
def nothing_kept_in_this_process() -> Iterator[None]:
    model_spaces._loaded.cache_clear()
    yield
    model_spaces._loaded.cache_clear()


def results(store: Store) -> dict[str, bytes]:
    """The first line of each cell's file, which has nothing in it that differs from run to run."""
    paths = store.folder.glob("cells/*/*.json")
    return {path.stem: path.read_bytes().split(b"\n")[0] for path in paths}


def test_a_study_that_was_interrupted_goes_on_to_the_same_bytes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = read_plan(folder / "plan.toml")
    whole = Store(tmp_path / "whole")
    outcome = run(plan, whole)
    assert (outcome.planned, outcome.done, outcome.failed) == (12, 12, 0)

    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "another cache"))
    model_spaces._loaded.cache_clear()
    parted, write = Store(tmp_path / "parted"), Store.write_text
    written: list[str] = []

    def write_five(store: Store, cell: str, *given: Any) -> None:
        if len(written) == 5:
            raise KeyboardInterrupt
        written.append(cell)
        write(store, cell, *given)

    monkeypatch.setattr(Store, "write_text", write_five)
    with pytest.raises(KeyboardInterrupt):
        run(plan, parted)
    monkeypatch.setattr(Store, "write_text", write)
    model_spaces._loaded.cache_clear()
    again = run(parted.plan(), parted)
    assert (again.already, again.done) == (5, 7)
    assert results(parted) == results(whole)
    assert len(results(whole)) == 12


def test_a_cell_is_what_the_public_verbs_measure(folder: Path) -> None:
    model, sides = us.load(folder / "bert"), us.concept(folder / "sides.toml")
    after = us.debias("layerwise", model, sides)
    direct = us.measure(
        "direct-bias(neutral=jobs)",
        after.at("layer:2[cls]", "plain"),
        sides,
        us.WordPolicy(missing="drop"),
        baseline=model.at("layer:2[cls]", "plain"),
    )
    found = computed(folder, "middle", "layerwise", "DB")["measurement"]
    assert found["value"] == pytest.approx(direct.value, abs=1e-7)
    before = computed(folder, "middle", "original", "DB")["measurement"]
    assert abs(found["value"] - before["value"]) > 0.01


def test_a_method_after_the_measured_place_changes_nothing_there(folder: Path) -> None:
    before, after = (
        computed(folder, "middle", method, "DB")["measurement"]["value"]
        for method in ("original", "leace")
    )
    assert after == before  # leace acts at the last layer, and layer 2 is measured
    before, after = (
        computed(folder, "last", method, "DB")["measurement"]["value"]
        for method in ("original", "leace")
    )
    assert after != before


def computed(folder: Path, *label: str) -> dict[str, Any]:
    """The record of one cell of the plan."""
    for cell in read_plan(folder / "plan.toml").cells:
        if cell.label[:3] == label:
            inputs = inputs_of(cell, FileHashes())
            return compute(Task(cell=cell, id=cell_id(inputs), inputs=inputs))
    raise AssertionError(label)


def test_a_network_is_read_once_and_methods_are_fitted_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    networks: list[str] = []
    fits: list[str] = []

    def counted_network(*given: Any) -> Any:
        networks.append("read")
        return network(*given)

    def counted_fit(chain: Any, *given: Any, **more: Any) -> Any:
        fits.append(str(chain))
        return fit_at_places(chain, *given, **more)

    monkeypatch.setattr(model_module, "network", counted_network)
    monkeypatch.setattr(model_spaces, "fit_at_places", counted_fit)
    run(read_plan(folder / "plan.toml"), Store(tmp_path / "study"))
    assert networks == ["read"]
    assert len(fits) == 2  # of two methods, for two places and two measures
    kept = list((cache_folder() / "studies").glob("*.safetensors"))
    assert len(kept) == 2
    model_spaces._loaded.cache_clear()
    run(read_plan(folder / "plan.toml"), Store(tmp_path / "other"))
    assert len(fits) == 2
    assert len(networks) == 2


def test_cells_of_one_model_after_one_method_are_computed_one_after_another(folder: Path) -> None:
    hashes = FileHashes()
    _, tasks = identified(read_plan(folder / "plan.toml"), lambda cell: inputs_of(cell, hashes))
    methods = [task.cell.method for task in tasks]
    assert methods == sorted(methods)


def test_recomputing_gives_the_same_record_and_tables_have_every_cell(
    folder: Path, tmp_path: Path
) -> None:
    store = Store(tmp_path / "study")
    run(read_plan(folder / "plan.toml"), store)
    assert store.has_record
    entry = found_cell(store, "middle/leace/WEAT")
    assert recomputed(store, entry) == record_of(store, entry)
    record = study_record(store.folder)
    assert record.study is not None
    assert record.study.plan.expressions["leace"] == "leace@layer:-1"
    table = record.study.table
    assert table is not None
    assert len(table.rows) == 6
    assert all(cell.value is not None for row in table.rows for cell in row.cells)
    assert "leace@layer:-1" in page(record)


def ids(folder: Path, text: str) -> set[str]:
    (folder / "other.toml").write_text(text)
    hashes = FileHashes()
    return {cell_id(inputs_of(cell, hashes)) for cell in read_plan(folder / "other.toml").cells}


def test_the_id_of_a_cell_depends_on_content_and_not_on_the_path(
    folder: Path, tmp_path: Path
) -> None:
    before = ids(folder, PLAN)
    assert len(before) == 12
    shutil.copytree(folder / "bert", tmp_path / "moved")
    shutil.copy(folder / "sides.toml", tmp_path)
    (tmp_path / "words.txt").write_text("{}\n")  # the same as the contexts called plain
    same = PLAN.replace('"bert"', '"moved"').replace('"plain"', '"words.txt"')
    assert ids(tmp_path, same) == before
    for change in (
        ('last = "bert"', 'last = { path = "moved", place = "layer:-1[word]" }'),
        ('last = "bert"', 'last = { path = "moved", contexts = "everyday" }'),
        ("leace@layer:-1", "leace@layer:-2"),
    ):
        assert ids(tmp_path, PLAN.replace(*change).replace('"bert"', '"moved"')) != before
    weights = tmp_path / "moved" / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert not ids(tmp_path, PLAN.replace('"bert"', '"moved"')) & before


def test_the_default_place_and_contexts_have_the_id_of_those_written_out(folder: Path) -> None:
    written = '{ path = "bert", place = "layer:-1[all]", contexts = "bleached" }'
    assert ids(folder, PLAN.replace('last = "bert"', f"last = {written}")) == ids(folder, PLAN)


def test_a_model_that_was_replaced_after_planning_is_not_measured(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "bert", tmp_path / "bert")
    shutil.copy(folder / "sides.toml", tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    cell = read_plan(tmp_path / "plan.toml").cells[0]
    inputs = inputs_of(cell, FileHashes())
    shutil.rmtree(tmp_path / "bert")
    tiny_bert(tmp_path / "bert", seed=1)
    task = Task(cell=cell, id=cell_id(inputs), inputs=inputs)
    with pytest.raises(UnslantError, match="is not the model that the study was planned with"):
        compute(task)
    shutil.rmtree(tmp_path / "bert")
    with pytest.raises(UnslantError, match="is not on this machine"):
        compute(task)


def test_contexts_that_were_changed_after_planning_are_not_used(
    folder: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own.txt"
    own.write_text("This is {}.\n")
    (folder / "own.toml").write_text(PLAN.replace('"plain"', f'"{own}"'))
    cell = read_plan(folder / "own.toml").cells[-1]
    inputs = inputs_of(cell, FileHashes())
    own.write_text("That is {}.\n")
    with pytest.raises(UnslantError, match="have changed since the study was planned"):
        compute(Task(cell=cell, id=cell_id(inputs), inputs=inputs))


def test_a_model_that_is_gone_or_damaged_costs_only_its_own_cells(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "bert", tmp_path / "bert")
    shutil.copytree(folder / "bert", tmp_path / "cut")
    shutil.copy(folder / "sides.toml", tmp_path)
    weights = tmp_path / "cut" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    plan = PLAN.replace("[methods]", 'gone = "gone"\ncut = "cut"\n[methods]')
    (tmp_path / "plan.toml").write_text(plan + 'methods = ["leace"]\nmeasures = ["WEAT"]\n')
    store = Store(tmp_path / "study")
    outcome = run(read_plan(tmp_path / "plan.toml"), store)
    assert (outcome.done, outcome.failed) == (2, 2)
    problems = {entry.label[0]: entry.problem for entry in store.index() if entry.problem}
    assert "No such file" in problems["gone"]
    assert "not a whole safetensors file" in problems["cut"]


def test_word_pieces_are_measured_by_what_needs_a_vocabulary(folder: Path, tmp_path: Path) -> None:
    (folder / "pieces.toml").write_text(
        """
[resources]
pieces = { path = "bert", place = "wordpieces" }
[methods]
linear = "linear(subspace=pair-pca(definitional))@wordpieces"
[measures]
near = "gipe(n=3)"
[[matrix]]
concept = "sides.toml"
"""
    )
    store = Store(tmp_path / "study")
    outcome = run(read_plan(folder / "pieces.toml"), store)
    assert (outcome.done, outcome.failed) == (1, 0), store.failures()


def test_a_real_sentence_encoder_in_a_small_study(tmp_path: Path) -> None:
    (tmp_path / "minilm").symlink_to(real_model("minilm"), target_is_directory=True)
    (tmp_path / "plan.toml").write_text(
        """
[resources]
minilm = "minilm"
[methods]
original = ""
sentence = 'linear(subspace="pair-pca(definitional, k=1, unit_length=false)")@sentence'
[measures]
WEAT = { measure = "weat(resamples=20)", test = "career-family" }
[[matrix]]
"""
    )
    store = Store(tmp_path / "study")
    outcome = run(read_plan(tmp_path / "plan.toml"), store)
    assert (outcome.done, outcome.failed) == (2, 0), store.failures()
    found = {cell.label[1]: cell.result["measurement"] for cell in store.records()}
    assert found["original"]["value"] > 0.5
    assert abs(found["sentence"]["value"]) < found["original"]["value"]
    assert found["original"]["inputs"]["vectors"] == "minilm@sentence in bleached contexts"
