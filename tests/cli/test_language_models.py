"""The verbs for language models, on a real one."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from tests.real_models import real_model
from unslant.cli.verbs import app
from unslant.core.errors import OutputError, UnslantError

pytest.importorskip("torch")
pytest.importorskip("transformers")

from unslant.models.language.export import ONLY_UNSLANT
from unslant.models.language.model import load_transformer

_TEXTS = ("She is a nurse.", "He worked as an engineer for years.")


def unslant(*arguments: str | Path) -> Result:
    done = CliRunner().invoke(app, [str(item) for item in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_places_are_listed_with_widths_and_whether_they_fold() -> None:
    shown = unslant("inspect", "places", real_model("minilm"), "--all")
    assert "layer:3.query" in shown.output
    listed = json.loads(unslant("inspect", "places", real_model("minilm"), "--json").output)
    found = {item["place"]: item for item in listed["places"]}
    assert found["wordpieces"] == {
        "place": "wordpieces", "width": 384, "heads": None, "folds": True, "why_not": "",
    }  # fmt: skip
    assert found["layer:2.value"]["heads"] == 12
    assert "residual path" in found["layer:2"]["why_not"]
    assert found["sentence"]["folds"]


def test_recipes_come_before_a_short_table_of_places_and_fit_the_model() -> None:
    shown = unslant("inspect", "places", real_model("minilm")).output
    assert shown.index("thesis-attn") < shown.index("wordpieces")
    assert "elmo" not in shown
    assert "layer:1.key to layer:6.key" in shown
    assert "layer:3.query" not in shown
    assert "layer:1 to layer:5" in shown  # the last layer folds, so it has a row of its own
    without_pooler = unslant("inspect", "places", real_model("gte-small")).output
    assert "layerwise" in without_pooler
    assert "thesis-sent" not in without_pooler


def test_a_place_is_measured_and_its_record_names_the_model() -> None:
    place = f"{real_model('minilm')}@layer:2[word]"
    found = json.loads(
        unslant("measure", "weat", place, "--test", "career-family", "--json", "--no-cache").output
    )
    assert found["inputs"]["vectors"] == "minilm@layer:2[word] in bleached contexts"
    assert -2 < found["value"] < 2
    with pytest.raises(UnslantError, match="--limit is for word vectors"):
        unslant("measure", "weat", place, "--test", "career-family", "--limit", "5")


def test_a_debiased_model_is_written_once_with_its_changes_in_its_card(tmp_path: Path) -> None:
    model, out = real_model("minilm"), tmp_path / "fair"
    done = unslant("debias", model, "--with", "linear@sentence", "-o", out, "--measure", "none")
    assert "sentence-transformers and us.load() apply the debiasing" in done.output
    assert "plain transformers will load this folder WITHOUT" in " ".join(done.output.split())
    assert "linear@sentence" in (out / "README.md").read_text()
    assert (out / "modules.json").exists()
    with pytest.raises(OutputError, match="exists"):
        unslant("debias", model, "--with", "linear@sentence", "-o", out)
    with pytest.raises(UnslantError, match="hard cannot act at layer:-1"):
        unslant("debias", model, "--with", "hard@layer:-1", "-o", tmp_path / "other")
    with pytest.raises(UnslantError, match="Name the model alone"):
        unslant("debias", f"{model}@layer:-1", "--with", "linear@layer:-1")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fair"]


def test_a_model_that_others_would_load_unchanged_is_refused_before_anything_is_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, out = real_model("gte-small"), tmp_path / "fair"
    command = ("debias", model, "--with", "leace@layer:-1", "-o", out, "--measure", "none")
    with monkeypatch.context() as patch:
        patch.setattr("unslant.cli.debias_model.treated_model", lambda *_, **__: 1 / 0)
        with pytest.raises(UnslantError, match="load the ORIGINAL model, so nothing was written"):
            unslant(*command)
    assert list(tmp_path.iterdir()) == []
    done = unslant(*command, "--loader", "unslant")
    assert ONLY_UNSLANT in " ".join(done.output.split())
    assert ONLY_UNSLANT in (out / "README.md").read_text()
    before, after = load_transformer(model).encode(_TEXTS), load_transformer(out).encode(_TEXTS)
    assert np.abs(before - after).max() > 1e-2
    package = pytest.importorskip("sentence_transformers")
    plain = package.SentenceTransformer(str(out), device="cpu")
    assert np.abs(plain.encode(list(_TEXTS)) - before).max() < 1e-4  # as the warning says
    with pytest.raises(UnslantError, match="--loader are for language models"):
        unslant("debias", "--with", "linear", "--loader", "unslant")


def test_an_eraser_that_does_not_fold_where_its_place_does_is_refused_before_measuring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether an eraser is affine is known only once it is fitted."""
    monkeypatch.setattr("unslant.cli.debias_model.model_debiasing", lambda *_, **__: 1 / 0)
    with pytest.raises(UnslantError, match=r"bias.*ORIGINAL model, so nothing was written"):
        unslant(
            "debias", real_model("smollm2"), "--with", "leace@layer:-1", "--loader", "heads",
            "-o", tmp_path / "fair",
        )  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_layers_are_measured_as_one_figure(tmp_path: Path) -> None:
    page = tmp_path / "layers.html"
    done = unslant(
        "inspect", "layers", "weat(random_lists=0)", real_model("minilm"), "--test",
        "career-family", "--contexts", "plain", "--html", page,
    )  # fmt: skip
    assert "layer:6[word]" in done.output
    assert "The highest is" in done.output
    assert "by layer of minilm" in page.read_text()


def test_where_it_comes_back_needs_a_method_at_a_place() -> None:
    with pytest.raises(UnslantError, match="Say where in minilm leace should act"):
        unslant("inspect", "re-emergence", real_model("minilm"), "--with", "leace")
