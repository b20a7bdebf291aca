"""The whole of a recommendation on small vectors with a known bias."""

from pathlib import Path

import pytest

import unslant as us
from tests.command_line import json_of, unslant
from tests.real_models import real_model
from tests.studies.recommendation.toy import write_toy
from unslant.core.errors import UnslantError
from unslant.core.read_record import read_record
from unslant.studies.plan.reading import read_plan
from unslant.studies.recommendation import recommend as module
from unslant.studies.recommendation.plan_text import Candidate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toy")
    write_toy(folder)
    return folder


@pytest.fixture(autouse=True)
def few_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    some = (Candidate(expression="linear", cost=1), Candidate(expression="linear | random", cost=3))
    monkeypatch.setattr(module, "CANDIDATES", some)
    monkeypatch.setattr("unslant.studies.recommendation.plan_text.CANDIDATES", some)
    monkeypatch.setattr("unslant.studies.recommendation.plan_text._BENCHMARKS", ())


def test_the_method_that_removes_a_known_bias_is_named_with_its_price(
    folder: Path, tmp_path: Path
) -> None:
    out, concept = tmp_path / "out", folder / "toy.toml"
    found = us.recommend(folder / "toy.txt", concept, purpose="audit", output=out)
    said = found.record.recommendation
    assert said is not None
    assert (found.method, said.purpose) == ("linear", "audit")
    assert said.answer.startswith("For audit, use linear: it removes ")
    assert " (" in said.answer, "a share has its interval"
    assert said.price.startswith("Price: it loses ")
    best = said.considered[0]
    assert best.removed.low is not None
    assert best.removed.low > 0.5
    drawn = [item for item in said.considered if item.is_control]
    assert len(drawn) == 8
    assert max(item.removed.value for item in drawn) < best.removed.low
    # Everything can be drawn, kept and read again, and the plan be run again.
    assert "linear" in found._repr_html_()
    assert said.answer.split(" (")[0] in found.save(tmp_path / "r.html").read_text()
    assert read_record(found.save(tmp_path / "r.json")) == found.record
    assert len(read_plan(out / "recommend.toml").cells) == found.record.study.status.planned  # type: ignore[union-attr]
    again = us.recommend(folder / "toy.txt", concept, purpose="research", output=out)
    assert again.record.study == found.record.study, "nothing is computed twice"


def test_without_bias_no_method_is_recommended(folder: Path, tmp_path: Path) -> None:
    concept = str(folder / "toy.toml")
    args = ["recommend", str(folder / "fair.txt"), "-c", concept, "-o", "out", "--plan", "p.toml"]
    done = unslant(*args, cwd=tmp_path, code=1)
    assert (
        "No method can be recommended for shipping: these vectors show no toy bias" in done.stdout
    )
    assert read_plan(tmp_path / "p.toml").cells
    assert "p.toml exists" in unslant(*args, cwd=tmp_path, code=2).stderr


def test_the_command_names_what_to_type_next(folder: Path, tmp_path: Path) -> None:
    concept = str(folder / "toy.toml")
    args = ["recommend", str(folder / "toy.txt"), "-c", concept, "--for", "audit"]
    done = unslant(*args, cwd=tmp_path)
    said = f"unslant debias {folder / 'toy.txt'} --with linear --concept {concept} -o FILE"
    assert said in done.stdout
    assert "unslant files fetch all" in done.stdout, "which quality was measured is said"
    plain = json_of(*args, "--json", cwd=tmp_path)
    assert plain["recommendation"]["method"] == "linear"


def test_a_language_model_is_referred_to_the_walk(folder: Path) -> None:
    with pytest.raises(UnslantError, match=r"docs/walk\.md"):
        us.recommend(real_model("minilm"))
    with pytest.raises(UnslantError, match="Save these vectors first"):
        us.recommend(us.load(limit=100))  # type: ignore[arg-type]
    with pytest.raises(UnslantError, match="audit, research, shipping"):
        us.recommend(folder / "toy.txt", purpose="fun")  # type: ignore[arg-type]
