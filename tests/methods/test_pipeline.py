"""Chains: each method is fitted on what the one before gave, and mistakes are told before work."""

import re

import numpy as np
import pytest

from unslant.concepts import WordPolicy, concept
from unslant.core.errors import (
    DegenerateSubspaceError,
    ExpressionError,
    MissingWordsError,
    UnknownNameError,
    UnslantError,
)
from unslant.core.expression import parse_chain
from unslant.methods.chains import chain_of
from unslant.methods.method import ANY_VECTORS, DEBIASERS
from unslant.methods.pipeline import debias, fit
from unslant.methods.streaming import debiased
from unslant.vectors import WordVectors, load

GENDER = concept("gender")


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return load(limit=4000)


def test_a_chain_is_the_same_as_one_method_after_the_other(vectors: WordVectors) -> None:
    by_hand = debias("misp", debias("hard", vectors, GENDER), GENDER)
    assert debias("hard | misp", vectors, GENDER).content_hash == by_hand.content_hash
    assert by_hand.name == "glove.6B.100d.slice.hard.misp"


def test_the_second_method_is_not_fitted_on_the_first_ones_input(vectors: WordVectors) -> None:
    chained = fit("mhd | mhd", vectors, GENDER)
    first, second = (stage.removed for stage in chained.stages)
    assert first is not None
    assert second is not None
    assert np.abs(first @ second.T).max() < 1e-4, "what is gone cannot be found again"


def test_parameters_stand_in_the_lineage_and_in_the_name(vectors: WordVectors) -> None:
    after = debias("random(seed=3, k=2) | linear", vectors, GENDER)
    assert after.lineage.steps == ("random(seed=3, k=2)", "linear")
    assert after.name.endswith(".random(seed=3, k=2).linear")


@pytest.mark.parametrize(
    "text", ["hard", "hard | misp", 'linear(subspace="pair-pca(definitional, k=2)") | random(k=3)']
)
def test_an_expression_prints_as_it_can_be_typed(text: str) -> None:
    assert str(parse_chain(text)) == text


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("", ExpressionError, "begin with a name"),
        ("hard |", ExpressionError, "a bar must separate two methods"),
        ("| hard", ExpressionError, "a bar must separate two methods"),
        ("hard || misp", ExpressionError, "a bar must separate two methods"),
        ("hard | mips", UnknownNameError, 'Did you mean "misp"'),
        ("hard(keeep=x)", UnknownNameError, 'Did you mean "keep"'),
        ("misp(assignment=1-2-3)", ExpressionError, "order the numbers 1 to 4"),
        ("random(k=two)", ExpressionError, "must be int"),
        ("__import__(os)", UnknownNameError, "--import--"),
    ],
)
def test_a_mistake_is_one_clear_sentence(
    text: str, error: type[Exception], says: str, vectors: WordVectors
) -> None:
    with pytest.raises(error, match=says):
        fit(text, vectors, GENDER)


def test_what_is_not_vectors_or_a_concept_is_refused_in_a_sentence(vectors: WordVectors) -> None:
    with pytest.raises(UnslantError, match=r"Expected a concept .* not WordVectors.*order"):
        fit("hard", GENDER, vectors)  # type: ignore[arg-type]
    with pytest.raises(UnslantError, match=r"Expected word vectors .* not int"):
        fit("hard", 5, GENDER)  # type: ignore[arg-type]
    with pytest.raises(UnslantError, match="Expected a method expression"):
        fit(["hard"], vectors, GENDER)  # type: ignore[arg-type]


def test_a_stage_that_fails_is_named_with_what_went_before(vectors: WordVectors) -> None:
    with pytest.raises(
        DegenerateSubspaceError, match=r"^oscar on glove\.6B\.100d\.slice\.linear: "
    ):
        fit("linear | oscar", vectors, GENDER)


def test_a_mistake_in_the_last_method_is_told_before_the_first_is_fitted(
    vectors: WordVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted: list[str] = []
    hard = DEBIASERS.entry("hard").component
    monkeypatch.setattr(hard, "fit", lambda *_: fitted.append("hard"))
    with pytest.raises(UnknownNameError):
        fit("hard | nonsense", vectors, GENDER)
    assert fitted == []


def test_vectors_have_no_places(vectors: WordVectors) -> None:
    says = (
        "Places belong to language models; glove.6B.100d.slice has none. Write hard instead of "
        "hard@layer:-2."
    )
    for verb in (fit, debias):
        with pytest.raises(UnslantError, match=re.escape(says)):
            verb("misp | hard@layer:-2", vectors, GENDER)


@pytest.mark.parametrize("name", [entry.name for entry in DEBIASERS])
def test_what_acts_on_words_alone_is_refused_at_a_place_by_name(name: str) -> None:
    acts_on = DEBIASERS.entry(name).facts.acts_on
    if acts_on == ANY_VECTORS:
        assert str(chain_of(f"{name}@layer:-2")) == f"{name}@layer:-2"
        return
    if acts_on.only_places:
        assert str(chain_of(f"{name}@layer:-2")) == f"{name}@layer:-2"
        with pytest.raises(UnslantError, match=f"^{name} .* It acts at a place in a"):
            chain_of(name)
        return
    with pytest.raises(UnslantError, match=rf"^{name} cannot act at layer:-2\[cls\]: it .*\. Use"):
        chain_of(f"linear@pooled | {name}@layer:-2[cls]")
    for other in re.split(", | or ", acts_on.instead):
        assert DEBIASERS.entry(other).facts.acts_on == ANY_VECTORS


def test_methods_that_need_the_words_or_lengths_of_vectors_act_on_words_alone() -> None:
    """What sets, spares or scales single words cannot do so where there are none."""
    for name in ("hard", "soft", "ran", "gp", "half-sibling"):
        assert DEBIASERS.entry(name).facts.acts_on != ANY_VECTORS
    for entry in DEBIASERS:
        if {"unit-length", "spares-specific-words"} & entry.facts.guarantees:
            assert entry.facts.acts_on != ANY_VECTORS


def test_missing_words_stop_the_fit_where_the_policy_says_so(vectors: WordVectors) -> None:
    with pytest.raises(MissingWordsError):
        fit("hard", vectors, GENDER, WordPolicy(missing="fail"))


def test_an_eraser_fitted_on_few_words_acts_on_many(vectors: WordVectors) -> None:
    eraser = fit("linear", vectors, GENDER)
    assert len(debiased(load(), eraser)) == 35_313
