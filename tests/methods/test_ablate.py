"""Ablation: what is left of a place is one vector, and of a head what it always adds."""

from pathlib import Path

import numpy as np
import pytest

from tests.studies.language_models import CONCEPT, tiny_bert
from unslant.concepts import concept
from unslant.core.errors import UnslantError
from unslant.core.places import Place
from unslant.erasers import Eraser
from unslant.methods.pipeline import fit
from unslant.models.language.base import LanguageModel
from unslant.models.language.model import load_model
from unslant.studies.at_places import fit_at_places
from unslant.vectors import load

TEXTS = ["the nurse is here .", "he sat down", "she is a programmer ."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ablate")
    (path / "sides.toml").write_text(CONCEPT)
    tiny_bert(path / "bert")
    return path


@pytest.fixture(scope="module")
def model(folder: Path) -> LanguageModel:
    return load_model(folder / "bert")


def _rows(model: LanguageModel, place: str) -> np.ndarray:
    return np.concatenate(list(model.vectors(TEXTS, [place]).values()))


def test_a_place_has_the_mean_over_the_concept_or_zero(folder: Path, model: LanguageModel) -> None:
    about = concept(folder / "sides.toml")
    for to, is_zero in (("mean", False), ("zero", True)):
        after = model.intervened(fit_at_places(f"ablate(to={to})@layer:2", model, about))
        rows = _rows(after, "layer:2")
        assert np.abs(rows - rows[0]).max() < 1e-6
        assert (not rows.any()) == is_zero
    step = fit_at_places("ablate@layer:2", model, about).steps[0]
    assert step.eraser.affine is not None
    assert not step.eraser.affine[0].any()
    sentences = fit_at_places("linear@layer:2", model, about)  # fitted on the same sentences
    assert sentences.steps[0].eraser.stages[0].inputs == step.eraser.stages[0].inputs


@pytest.mark.parametrize("to", ["mean", "zero"])
def test_a_head_without_values_is_a_head_without_results(
    folder: Path, model: LanguageModel, to: str
) -> None:
    """Attention sums to 1, so a head whose values are all v gives v, whatever it attends to."""
    about = concept(folder / "sides.toml")
    values = fit_at_places(f"ablate(to={to})@layer:2.value:1", model, about)
    after = model.intervened(values)
    constant = values.steps[0].eraser.apply(np.ones((1, 4)))[0]
    given = _rows(after, "layer:2.attention:1")
    assert np.abs(given - constant).max() < 1e-5
    assert np.abs(_rows(model, "layer:2.attention:1") - constant).max() > 1e-2
    others = _rows(after, "layer:2.attention:0") - _rows(model, "layer:2.attention:0")
    assert not others.any()


def test_it_is_stored_as_any_other_eraser(folder: Path, model: LanguageModel) -> None:
    fitted = fit_at_places("ablate@layer:-1", model, concept(folder / "sides.toml"))
    eraser = fitted.steps[0].eraser
    rows = np.random.default_rng(0).normal(size=(5, eraser.dim))
    again = Eraser.load(eraser.save(folder / "ablate.safetensors"))
    assert np.array_equal(again.apply(rows), eraser.apply(rows))
    assert np.array_equal(eraser.apply(eraser.apply(rows)), eraser.apply(rows))


def test_word_vectors_are_refused_because_nothing_would_be_left() -> None:
    with pytest.raises(UnslantError, match="nothing would be left to measure"):
        fit("ablate", load(limit=100), "gender")


def test_each_head_of_a_layer_can_be_named_at_once(folder: Path, model: LanguageModel) -> None:
    fitted = fit_at_places("ablate@layer:-2.value:*", model, concept(folder / "sides.toml"))
    assert [step.place for step in fitted.steps] == [
        Place("layer", -2, "value", h) for h in range(4)
    ]


def test_only_methods_may_stand_at_every_head(model: LanguageModel) -> None:
    with pytest.raises(UnslantError, match="stands for each head, and only where methods act"):
        model.at("layer:-2.value:*")
