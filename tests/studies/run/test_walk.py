"""A study of a tree finds what every setting finds alone, and fits each beginning once."""

from pathlib import Path
from typing import Any

import pytest

from tests.studies.language_models import CONCEPT
from unslant.methods import pipeline
from unslant.models.language.model import load_model
from unslant.studies import at_places
from unslant.studies.answers import stored_rows
from unslant.studies.plan.reading import read_plan
from unslant.studies.probe import probe
from unslant.studies.run import model_spaces
from unslant.studies.run.identity import FileHashes, inputs_of
from unslant.studies.run.run import run
from unslant.studies.run.store import Store

PLAN = """
name = "tree"
[resources]
llama = "llama"
[methods]
original = ""
[[tree.small]]
level = "last"
at = "layer:-1"
method = "misp(subspace=pair-pca(definitional, k=1), exponent={n})"
n = [0, 1]
[[tree.small]]
level = "before"
at = "layer:-2"
method = "misp(subspace=pair-pca(definitional, k={k}), exponent={n})"
k = [1, 2]
n = [0, 1]
[[tree.small]]
level = "heads"
at = ["layer:-2.query:*", "layer:-2.value:*"]
method = "linear"
[measures]
PPL = { probe = "perplexity", text = "TEXT", measure = "perplexity" }
jobs = { measure = "weat", test = "jobs" }
[[matrix]]
concept = "sides.toml"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk")
    (path / "sides.toml").write_text(CONCEPT)
    sentences = ["the nurse is here .", "the doctor is there .", "she sat down", "he is there ."]
    (path / "text.txt").write_text("\n".join(sentences))
    (path / "plan.toml").write_text(PLAN.replace("TEXT", str(path / "text.txt")))
    pytest.importorskip("transformers")
    from tests.models.language.folders import save

    save(path / "llama", "llama")
    return path


@pytest.fixture(scope="module")
def fitted(folder: Path) -> list[str]:
    """The study run once; which step was fitted on what."""
    seen: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNSLANT_CACHE", str(folder / "cache"))
        whole = pipeline.fitted_stage

        def counting(step: Any, space: Any, *more: Any) -> Any:
            seen.append(f"{space.name} {step}")
            return whole(step, space, *more)

        patch.setattr(at_places, "fitted_stage", counting)
        outcome = run(read_plan(folder / "plan.toml"), Store(folder / "done"))
    assert outcome.is_complete
    assert outcome.planned == 2 * (1 + 2 + 8 + 8)
    return seen


@pytest.mark.usefixtures("fitted")
def test_every_setting_finds_what_it_finds_alone(folder: Path) -> None:
    plan = read_plan(folder / "plan.toml")
    methods = {cell.method_label: cell.method for cell in plan.cells}
    rows = stored_rows(Store(folder / "done"))
    asked = f'perplexity(text="{folder / "text.txt"}")'
    values = set()
    for row in rows:
        if row.measure != "PPL":
            continue
        model = load_model(folder / "llama")  # which shares nothing with the others
        done = probe(
            asked, model, method=methods[row.method] or None, concept=folder / "sides.toml"
        )
        assert row.value == pytest.approx(done.measurements[0].value, rel=1e-12)
        values.add(row.value)
    assert len(values) > 15


def test_what_chains_begin_with_is_fitted_once(fitted: list[str]) -> None:
    assert len(fitted) == len(set(fitted))
    heads = [text for text in fitted if ".query:" in text.split("linear@")[-1]]
    assert len(heads) == 4
    last = [text for text in fitted if text.endswith("@layer:-1")]
    assert len(last) == 2 * (1 + 4 + 4)


@pytest.mark.usefixtures("fitted")
def test_blocks_are_shared_within_bounds(folder: Path) -> None:
    model = model_spaces._loaded(str(folder / "llama"), model_spaces.touched(str(folder / "llama")))
    kept = model.original.kept  # type: ignore[attr-defined]
    assert kept.hits > 5 * kept.misses
    assert kept.bytes <= kept.most_bytes


def test_the_place_of_a_resource_is_no_input_of_a_probe(folder: Path) -> None:
    hashes = FileHashes()
    found = []
    for where in ('"llama"', '{ path = "llama", place = "layer:1" }'):
        text = PLAN.replace("TEXT", str(folder / "text.txt"))
        (folder / "other.toml").write_text(text.replace('llama = "llama"', f"llama = {where}"))
        cells = read_plan(folder / "other.toml").cells
        found.append([inputs_of(cell, hashes)["resource"] for cell in cells[:2]])
    assert found[0][0] == found[1][0]
    assert found[0][1] != found[1][1]
