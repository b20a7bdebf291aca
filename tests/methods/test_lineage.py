"""Names and hashes say what vectors were made from: no two parameterisations share a name."""

from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np
import pytest

from unslant.concepts import concept
from unslant.core.components import component_of, shortest
from unslant.core.expression import Call, parse_call
from unslant.erasers import Eraser
from unslant.methods import DEBIASERS, debias, debiased, fit
from unslant.models.nli.trained import TrainedNli, builtin_nli
from unslant.probes.nli.reading import is_of_one_root
from unslant.vectors import WordVectors, load
from unslant.vectors.builtin import CUT_FROM
from unslant.vectors.save import save

GENDER = concept("gender")


@pytest.fixture(scope="module")
def small(glove: WordVectors) -> WordVectors:
    return glove.head(12_000)


def test_the_default_has_the_short_name_however_it_is_written(small: WordVectors) -> None:
    for text in ("random", "random(seed=0)", "random(k=1, seed=0)"):
        assert debias(text, small, GENDER).name == "glove.6B.100d.slice.random", text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("linear", 'linear(subspace="two-means(words)")'),
        ("random", "random(seed=1)"),
        ("random(seed=1)", "random(k=2)"),
        ("random(k=2) | linear", "random(k=3) | linear"),
    ],
)
def test_different_parameters_give_different_names(
    small: WordVectors, one: str, other: str
) -> None:
    assert debias(one, small, GENDER).name != debias(other, small, GENDER).name


def test_no_parameter_of_any_method_is_dropped_from_its_name() -> None:
    changed = 0
    for entry in DEBIASERS:
        for field in fields(entry.component):
            if field.default is MISSING or field.default is None:
                continue
            other = _other(field.default)
            short = shortest(DEBIASERS, Call(entry.name, kwargs=((field.name, other),)))
            assert short.kwargs == ((field.name, other),), entry.name
            same = shortest(DEBIASERS, Call(entry.name, kwargs=((field.name, field.default),)))
            assert str(same) == entry.name
            changed += 1
    assert changed > 30


def _other(default: object) -> str | int | float | bool:
    if isinstance(default, bool):
        return not default
    return default + 1 if isinstance(default, int | float) else f"{default}-other"


def test_the_short_form_makes_the_same_component() -> None:
    for text in ("random(3)", "random(seed=3, k=2)", "linear"):
        call = parse_call(text)
        short = shortest(DEBIASERS, call)
        assert component_of(DEBIASERS, short) == component_of(DEBIASERS, call)


def test_a_method_that_this_version_does_not_know_is_named_in_full(small: WordVectors) -> None:
    [stage] = fit("linear", small, GENDER).stages
    object.__setattr__(stage, "expression", "gone(k=2)")
    assert debiased(small, Eraser((stage,))).name == "glove.6B.100d.slice.gone(k=2)"


def model_of(vectors: WordVectors) -> TrainedNli:
    """The model in the package, as if it had been trained on these."""
    facts = {
        "name": vectors.name,
        "content_sha256": vectors.content_hash,
        "family_sha256": sorted(vectors.family_hashes),
    }
    built_in = builtin_nli()
    return TrainedNli("m", built_in.shape, built_in.tensors, {"vectors": facts})


def renamed(vectors: WordVectors, folder: Path, name: str) -> WordVectors:
    return load(save(vectors, folder / f"{name}.safetensors"))


def test_one_root_is_found_through_debiasing_cutting_saving_and_renaming(
    small: WordVectors, tmp_path: Path
) -> None:
    made = debias("random", debias("linear", small, GENDER), GENDER)
    for vectors in (small, made, made.head(500), renamed(made, tmp_path, "other")):
        assert is_of_one_root(vectors, model_of(small)), vectors
        assert is_of_one_root(small, model_of(vectors)), vectors
        assert is_of_one_root(vectors, builtin_nli()), vectors


def test_vectors_without_a_file_keep_their_root_too() -> None:
    draw = np.random.default_rng(0).normal(size=(50, 4))
    whole = WordVectors.of({f"w{n}": row for n, row in enumerate(draw.tolist())})
    assert is_of_one_root(whole.head(10).head(5), model_of(whole))


def test_a_name_that_goes_on_where_another_ends_proves_nothing(
    glove: WordVectors, tmp_path: Path
) -> None:
    draw = np.random.default_rng(1).normal(size=(50, 100))
    for name in ("glove.6B.100d", "glove.6B.100d.slice", "glove.6B.100d.slice.hard"):
        false = WordVectors.of({f"w{n}": row for n, row in enumerate(draw.tolist())}, name)
        assert not is_of_one_root(false, builtin_nli())
        assert not is_of_one_root(false, model_of(glove))
        path = save(false, tmp_path / f"{name}.txt")
        assert not is_of_one_root(load(path), builtin_nli())


def test_the_slice_was_cut_from_the_vectors_of_the_built_in_model(
    full_glove: WordVectors, glove: WordVectors
) -> None:
    assert full_glove.content_hash == CUT_FROM
    assert full_glove.origin["sha256"] == glove.origin["sha256"]
    assert builtin_nli().record["vectors"]["content_sha256"] == CUT_FROM
    assert is_of_one_root(full_glove.head(1_000), builtin_nli())
