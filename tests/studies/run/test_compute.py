"""One cell: its number, the vectors it needs, and what it leaves for the next."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UnslantError
from unslant.core.files import cache_folder, sha256_of_file
from unslant.datasets import download
from unslant.erasers import Eraser
from unslant.measures.running import measure
from unslant.methods.pipeline import debias, fit
from unslant.models.nli.trained import builtin_nli
from unslant.numerics.neighbours import Lists, top_cosines
from unslant.probes.nli.answers import ask
from unslant.probes.nli.scores import measures_of
from unslant.probes.nli.sets import pair_set
from unslant.studies.plan.cells import Cell, PlannedMeasure, PlannedResource
from unslant.studies.probe import probe
from unslant.studies.run import compute as compute_module
from unslant.studies.run import machine_cache
from unslant.studies.run.compute import compute, vectors_of
from unslant.studies.run.identity import FileHashes, cell_id, inputs_of
from unslant.studies.run.model_spaces import seeded_methods, with_seed
from unslant.studies.run.store import canonical
from unslant.studies.run.task import Task, threads_restored
from unslant.vectors import WordVectors, load
from unslant.vectors.save import save

WEAT = PlannedMeasure(label="WEAT", expression="weat", test="career-family")


def cell(method: str = "", wanted: PlannedMeasure = WEAT, **changes: Any) -> Cell:
    resource = PlannedResource(label="slice", path="builtin", limit=8000)
    made = Cell(
        resource=resource,
        method=method,
        method_label=method or "original",
        measure=wanted,
        concept="gender",
    )
    return replace(made, **changes)


def task(one: Cell, **changes: Any) -> Task:
    inputs = inputs_of(one, FileHashes())
    return replace(Task(cell=one, id=cell_id(inputs), inputs=inputs), **changes)


@pytest.fixture(scope="module")
def small() -> WordVectors:
    return load().head(8000)


def test_a_cell_is_the_measure_of_the_vectors_after_the_method(small: WordVectors) -> None:
    gender, policy = concept("gender"), WordPolicy(missing="drop")
    fair = debias("hard", small, gender, policy)
    found = compute(task(cell("hard")))["measurement"]
    direct = measure("weat", fair, gender.test("career-family"), policy, baseline=small)
    assert found["value"] == direct.value
    assert found["interval"]["low"] == direct.interval.low  # type: ignore[union-attr]
    assert compute(task(cell()))["measurement"]["value"] != direct.value


def test_a_probe_cell_is_the_measure_of_the_probe(glove: WordVectors) -> None:
    whole = PlannedResource(label="slice", path="builtin")
    expression = "nli(set=marked-attribute, contexts=5)"
    wanted = PlannedMeasure(label="d", expression=expression, score="marked-distance")
    found = compute(task(cell(wanted=wanted, resource=whole)))["measurement"]
    answers = ask(pair_set("marked-attribute", contexts=5), builtin_nli().on(glove))
    [direct] = [item for item in measures_of(answers) if item.metric == "marked-distance"]
    assert found["value"] == direct.value
    wrong = replace(wanted, score="marked-distanse")
    with pytest.raises(UnslantError, match=r'Did you mean "marked-distance"'):
        compute(task(cell(wanted=wrong, resource=whole)))
    lacking = compute(task(cell(wanted=wanted)))["measurement"]  # 8,000 words lack "gentleman"
    assert lacking["value"] is None
    assert "gentleman" in lacking["words"][1]["missing"]


def test_a_cell_of_any_probe_is_what_the_probe_finds(small: WordVectors) -> None:
    wanted = PlannedMeasure(label="G", expression="eec(resamples=20)", score="eec-gender")
    found = compute(task(cell("hard", wanted=wanted)))["measurement"]
    direct = probe("eec(resamples=20)", small, method="hard", concept="gender")
    [expected] = [item for item in direct.measurements if item.metric == "eec-gender"]
    assert found["value"] == expected.value
    assert found["interval"]["low"] == expected.interval.low  # type: ignore[union-attr]


def test_a_detail_takes_the_place_of_the_value_and_claims_no_direction() -> None:
    wanted = PlannedMeasure(label="stereo", expression="sembias", detail="stereotype")
    whole = PlannedResource(label="slice", path="builtin")
    found = compute(task(cell(wanted=wanted, resource=whole)))["measurement"]
    assert found["value"] == found["details"]["stereotype"]
    assert found["better"] == ""
    assert found["interval"] is None
    with pytest.raises(UnslantError, match="Did you mean"):
        compute(task(cell(wanted=replace(wanted, detail="stereotipe"), resource=whole)))


def test_a_record_is_the_same_twice_and_holds_no_time() -> None:
    assert compute(task(cell("linear"))) == compute(task(cell("linear")))


def test_debiased_vectors_are_fitted_once_and_then_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    fits: list[str] = []

    def counted(method: str, *given: Any) -> Eraser:
        fits.append(method)
        return fit(method, *given)

    monkeypatch.setattr(compute_module, "fit", counted)
    for test in ("career-family", "math-arts", "science-arts"):
        compute(task(cell("linear", replace(WEAT, test=test))))
    assert fits == ["linear"]
    compute(task(cell("linear", replace(WEAT, test="math-arts"), concept="gender", case="exact")))
    assert len(fits) == 2
    [first, second] = sorted((cache_folder() / "studies").glob("*.safetensors"))
    assert first.stat().st_size > 8000 * 100 * 4
    assert second != first


def test_the_cache_of_debiased_vectors_keeps_within_its_bound() -> None:
    for seed in range(4):
        one = cell("random", seed=seed)
        compute(task(one, cache_bytes=2 * 8000 * 100 * 4 + (1 << 20)))
    assert len(list((cache_folder() / "studies").glob("*.safetensors"))) == 2


@pytest.mark.parametrize("bytes_left", [0, 9, 1_000_000])
def test_a_damaged_file_of_the_cache_stops_nothing(bytes_left: int) -> None:
    before = compute(task(cell("linear")))
    [kept] = (cache_folder() / "studies").glob("*.safetensors")
    kept.write_bytes(kept.read_bytes()[:bytes_left])
    compute_module._mapped.cache_clear()
    assert compute(task(cell("linear"))) == before


def near(method: str, expression: str, **changes: Any) -> Task:
    """The task of a measure of neighbours in the first 3,000 words."""
    few = PlannedResource(label="few", path="builtin", limit=3000)
    wanted = PlannedMeasure(label=expression, expression=expression)
    return task(cell(method, wanted, resource=few, **changes))


def test_neighbours_are_found_once_for_all_measures_of_a_space(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def counted(rows: Any, queries: Any, k: int, progress: Any = None) -> Iterator[Lists]:
        asked.append(len(queries))
        return top_cosines(rows, queries, k, progress)

    monkeypatch.setattr(machine_cache, "top_cosines", counted)
    whole = ("gipe(n=30)", "gipe(n=30, threshold=0.1)", "gipe(n=20, no_incoming=0)")
    listed = ('proximity-bias(neutral="professions", n=30)', "bias-by-neighbours(n=30)")
    for method in ("", "linear"):
        asked.clear()
        for expression in (*whole, *listed):
            assert compute(near(method, expression))["measurement"]["value"] is not None
        assert len(asked) == 2
        assert max(asked) > 1000
        assert 0 < min(asked) < 200


@pytest.mark.parametrize("method", ["", "linear"])
@pytest.mark.parametrize("expression", ["gipe(n=30)", "proximity-bias(n=30)", "bias-by-neighbours"])
def test_a_record_is_the_same_with_kept_neighbours_and_without(
    monkeypatch: pytest.MonkeyPatch, method: str, expression: str
) -> None:
    one = near(method, expression)
    with threads_restored():
        cold, warm = canonical(compute(one)), canonical(compute(one))
        kept = list((cache_folder() / "studies").glob("*.safetensors"))
        assert len(kept) == (2 if method else 1)  # the vectors after a method, and the lists
        monkeypatch.setattr(compute_module, "KeptNeighbours", lambda most_bytes: top_cosines)
        assert cold == warm == canonical(compute(one))


def test_measuring_outside_of_studies_keeps_nothing(small: WordVectors) -> None:
    measure("gipe(n=30)", small.head(2000), concept("gender"), WordPolicy(missing="drop"))
    assert not (cache_folder() / "studies").exists()


def test_the_bound_is_one_for_vectors_and_neighbours() -> None:
    folder, bound = cache_folder() / "studies", 2 * 3000 * 100 * 4 + (1 << 20)
    kinds = set()
    for seed in range(3):
        for expression in ("gipe(n=50)", "gipe(n=50, threshold=0.1)"):
            compute(replace(near("random", expression, seed=seed), cache_bytes=bound))
            sizes = [file.stat().st_size for file in folder.glob("*.safetensors")]
            assert sum(sizes) <= bound
            kinds |= {size > 3000 * 100 * 4 for size in sizes}
    assert kinds == {True, False}


def test_the_seed_goes_to_whoever_draws_and_names_none() -> None:
    assert with_seed("weat", 0) == "weat"
    assert with_seed("weat(ddof=0)", 5) == "weat(ddof=0, seed=5)"
    assert seeded_methods("hard | random(seed=1) | random(k=2)", 5) == (
        "hard | random(seed=1) | random(k=2, seed=5)"
    )
    first, second = (compute(task(cell("random", seed=seed))) for seed in (0, 1))
    assert first["measurement"]["value"] != second["measurement"]["value"]


def test_vectors_are_found_by_path_then_by_hash_then_by_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: WordVectors
) -> None:
    save(small.head(50), tmp_path / "some.txt")
    digest = sha256_of_file(tmp_path / "some.txt")
    there = PlannedResource(label="some", path=str(tmp_path / "some.txt"))
    assert len(vectors_of(there, digest)) == 50
    with pytest.raises(UnslantError, match="not the file that the study was planned with"):
        vectors_of(there, "0" * 64)
    elsewhere = replace(there, path="/nowhere/some.txt")
    with pytest.raises(UnslantError, match="are not on this machine"):
        vectors_of(elsewhere, digest)
    content = (tmp_path / "some.txt").read_bytes()

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setattr(download, "SCHEMES", ("http",))
    with HTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/some.txt"
        assert len(vectors_of(replace(elsewhere, url=address), digest)) == 50
        with pytest.raises(UnslantError, match="expected 0000"):
            vectors_of(replace(elsewhere, url=address), "0" * 64)
        server.shutdown()
    assert len(vectors_of(elsewhere, digest)) == 50  # from this machine's downloads now
