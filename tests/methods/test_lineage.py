"""Names and hashes say what vectors were made from: no two parameterisations share a name."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.concepts import concept
from unslant.core.components import component_of
from unslant.core.expression import Call, Step, Value, parse_chain
from unslant.core.parameters import Parameter, at_least, parameters_of
from unslant.erasers import Eraser
from unslant.methods.chains import lineage_name
from unslant.methods.method import DEBIASERS
from unslant.methods.pipeline import debias, fit
from unslant.methods.streaming import debiased
from unslant.models.nli.trained import TrainedNli, builtin_nli
from unslant.probes.nli.subsets import is_of_one_root
from unslant.vectors import WordVectors, load
from unslant.vectors.load import CUT_FROM
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


def values_of(parameter: Parameter) -> st.SearchStrategy[Value]:
    """Allowed values, also such as are written in two ways."""
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    if parameter.type is bool:
        return st.booleans()
    if parameter.benchmark:
        return st.just("google")
    if parameter.type is str:
        return st.sampled_from(
            ["", "a", "1", "true", "a b", 'a "b"', "f(k=1)", "f(k=1.0)", "x, k=2"]
        )
    limits = parameter.limits or at_least(0)
    low = limits.low or 0
    whole = st.integers(int(low), int(low) + 3)
    if parameter.type is int:
        return whole.filter(limits.holds)
    close = st.floats(low, low + 3) | st.sampled_from([low, -0.0, 0.1 + 0.2, 0.3])
    return (whole | whole.map(float) | close).filter(limits.holds)


@st.composite
def two_calls(draw: st.DrawFn) -> tuple[Call, Call]:
    """One method with two sets of parameters, often nearly the same, in some order."""
    name = draw(st.sampled_from([entry.name for entry in DEBIASERS]))
    known = parameters_of(DEBIASERS.entry(name).component)
    values = {
        item.name: st.just(item.default) | values_of(item) for item in known if not item.is_required
    }
    one = {key: draw(value) for key, value in values.items() if draw(st.booleans())}
    other = dict(one)
    for key in draw(st.lists(st.sampled_from(sorted(values)), max_size=2)):
        other[key] = draw(values[key])
    order = draw(st.permutations(sorted(other)))
    return (
        Call(name, kwargs=tuple(one.items())),
        Call(name, kwargs=tuple((key, other[key]) for key in order)),
    )


@settings(max_examples=400)
@given(two_calls())
def test_two_calls_share_a_name_only_if_they_make_the_same_method(calls: tuple[Call, Call]) -> None:
    made = [component_of(DEBIASERS, call) for call in calls]
    names = [lineage_name(Step(call)) for call in calls]
    assert (names[0] == names[1]) == (made[0] == made[1])
    for method, name in zip(made, names, strict=True):
        [step] = parse_chain(name)
        assert component_of(DEBIASERS, step.call) == method, "a name can be typed again"


def test_every_parameter_that_is_not_the_default_is_in_the_name() -> None:
    for text, name in (
        ("half-sibling(alpha=30)", "half-sibling(alpha=30)"),
        ("half-sibling(alpha=30.0)", "half-sibling(alpha=30)"),
        ("half-sibling(60.0)", "half-sibling"),
        ("random(k=2, seed=1)", "random(seed=1, k=2)"),
        ("linear@layer:-2", "linear@layer:-2"),
    ):
        [step] = parse_chain(text)
        assert lineage_name(step) == name


def test_a_file_enters_the_name_by_its_content(tmp_path: Path) -> None:
    def name_with(file: str, text: str) -> str:
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return lineage_name(Step(Call("adversarial", (str(path),))))

    first = name_with("one/a.txt", ": s\na b c d\n")
    digest = sha256(b": s\na b c d\n").hexdigest()[:12]
    assert first == f"adversarial(analogies=sha256:{digest})"
    assert name_with("two/b.txt", ": s\na b c d\n") == first, "wherever it is"
    assert name_with("one/a.txt", ": s\na b c e\n") != first, "whatever it is called"
    assert lineage_name(Step(Call("adversarial", ("msr",)))) == "adversarial(analogies=msr)"
    (tmp_path / "c.answers").write_text("s d")
    both = name_with("c.questions", "a b c")
    (tmp_path / "c.answers").write_text("s e")
    assert name_with("c.questions", "a b c") != both


def test_a_saved_eraser_keeps_the_name_that_it_was_fitted_under(
    small: WordVectors, tmp_path: Path
) -> None:
    [stage] = fit("random(k=1, seed=3)", small, GENDER).stages
    kept = Eraser((replace(stage, name="gone(k=2)"),)).save(tmp_path / "e.safetensors")
    assert debiased(small, Eraser.load(kept)).name == "glove.6B.100d.slice.gone(k=2)"


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
