"""A probe of a language model with methods at its places, against the same steps by hand."""

from pathlib import Path

import numpy as np
import pytest

from tests.command_line import json_of
from tests.studies.language_models import CONCEPT, tiny_bert
from unslant.concepts import Concept, concept
from unslant.core.errors import UnslantError
from unslant.models.language.base import LanguageModel
from unslant.models.language.model import load_model
from unslant.studies.at_places import fit_at_places
from unslant.studies.probe import probe
from unslant.studies.treated_model import treated_model

SENTENCES = "the nurse is here .\nthe doctor is there .\nhe is an engineer .\nshe sat down\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("probe")
    (folder / "sides.toml").write_text(CONCEPT)
    (folder / "text.txt").write_text(SENTENCES)
    tiny_bert(folder / "bert")
    return folder


@pytest.fixture(scope="module")
def model(files: Path) -> LanguageModel:
    return load_model(files / "bert")


def _expression(files: Path) -> str:
    return f'masked-accuracy(text="{files / "text.txt"}")'


def _by_hand(files: Path, model: LanguageModel) -> float:
    found = probe(_expression(files), model)
    value = found.measurements[0].value
    assert value is not None
    return value


def test_the_model_with_its_methods_is_asked_and_the_original_is_the_baseline(
    files: Path, model: LanguageModel
) -> None:
    method = "linear@layer:-2 | misp(subspace=pair-pca)@layer:-1"
    about = files / "sides.toml"
    done = probe(_expression(files), model, method=method, concept=about, compare=True, controls=3)
    treated = model.intervened(fit_at_places(method, model, about))
    [result] = done.record.results
    assert result.now.value == _by_hand(files, treated)
    assert result.before is not None
    assert result.before.value == _by_hand(files, model)
    assert result.change is not None
    assert done.record.resource is not None
    assert done.record.baseline is not None
    assert done.record.resource.sha256 == treated.content_hash
    assert done.record.baseline.sha256 == model.content_hash
    assert done.record.treatment is not None
    assert done.record.treatment.expression == treated.intervention.expression
    assert [stage.expression.split("@")[1] for stage in done.record.treatment.stages] == [
        "layer:-2",
        "layer:-1",
    ]
    assert result.control is not None
    assert result.control.directions == 2
    assert len(result.control.values) == 3


def test_controls_remove_as_many_random_directions_at_the_same_places(
    files: Path, model: LanguageModel
) -> None:
    method = "linear(subspace=pair-pca(definitional, k=2))@layer:-2 | linear@layer:-1.value:1"
    treated = treated_model(method, model, _concept(files))
    assert treated.directions == 3
    first, second = treated.controls(2, seed=5)
    for control in (first, second):
        for mine, theirs in zip(
            control.intervention.steps, treated.intervention.steps, strict=True
        ):
            removed = mine.eraser.stages[0].removed
            assert removed is not None
            assert mine.place == theirs.place
            assert len(removed) == len(theirs.eraser.stages[0].removed)  # type: ignore[arg-type]
    assert first.content_hash != second.content_hash
    again = next(iter(treated.controls(1, seed=5)))
    assert again.content_hash == first.content_hash


def test_two_places_of_one_width_have_other_random_directions(
    files: Path, model: LanguageModel
) -> None:
    treated = treated_model("linear@layer:-2 | linear@layer:-1", model, _concept(files))
    [control] = treated.controls(1, seed=0)
    first, second = (step.eraser.stages[0].removed for step in control.intervention.steps)
    assert first is not None
    assert second is not None
    assert not np.allclose(np.abs(first @ second.T), 1)


def _concept(files: Path) -> Concept:
    return concept(files / "sides.toml")


def test_what_makes_no_sense_is_refused_in_one_sentence(files: Path, model: LanguageModel) -> None:
    asked, about = _expression(files), files / "sides.toml"
    with pytest.raises(UnslantError, match="does not say which concept"):
        probe(asked, model, method="linear@layer:-1")
    with pytest.raises(UnslantError, match="Say where in bert linear should act"):
        probe(asked, model, method="linear", concept=about)
    with pytest.raises(UnslantError, match="or a baseline"):
        probe(asked, model, method="linear@layer:-1", concept=about, baseline=model)
    with pytest.raises(UnslantError, match="bert has no place layer:-4"):
        probe(asked, model, method="linear@layer:-4", concept=about)


def test_the_command_line_says_with_and_still_knows_debias(files: Path) -> None:
    arguments = (
        *("probe", "masked-accuracy", "bert", "--text", "text.txt", "--concept", "sides.toml"),
        *("--compare", "--controls", "1", "--json"),
    )
    found = [
        json_of(*arguments, flag, "linear@layer:-1", cwd=files) for flag in ("--with", "--with")
    ]
    assert found[0]["results"] == found[1]["results"]
    assert found[0]["treatment"]["expression"] == "linear@layer:-1"


def test_a_decoder_is_compared_with_random_directions(files: Path) -> None:
    from tests.models.language.folders import save

    model = load_model(save(files / "llama", "llama"))
    asked, about = f'perplexity(text="{files / "text.txt"}")', files / "sides.toml"
    done = probe(asked, model, method="linear@layer:-2", concept=about, compare=True, controls=2)
    again = model.intervened(fit_at_places("linear@layer:-2", model, about))
    for result, alone, before in zip(
        done.record.results,
        probe(asked, again).measurements,
        probe(asked, model).measurements,
        strict=True,
    ):
        assert result.control is not None
        assert result.before is not None
        assert result.now.value == alone.value
        assert result.before.value == before.value
        assert result.now.value not in (*result.control.values, before.value)
