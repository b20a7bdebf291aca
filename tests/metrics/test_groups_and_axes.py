"""With more than two groups or axes, nothing is dropped silently: it is asked for by name."""

import numpy as np
import pytest

from unslant.concepts import WordPolicy, concept
from unslant.core.errors import ExpressionError, UnslantError
from unslant.measures.running import measure
from unslant.methods.pipeline import fit
from unslant.vectors import WordVectors

DROP = WordPolicy(missing="drop")
RELIGION, GENDER = concept("religion"), concept("gender")
ALONG_ONE = ("clustering", "recoverability", "mdl", "bias-by-neighbours", "biased-analogies")


@pytest.mark.parametrize("name", ALONG_ONE)
def test_a_measure_along_one_direction_refuses_several_by_name(
    name: str, glove: WordVectors
) -> None:
    with pytest.raises(ExpressionError, match=f"{name} compares words along one direction"):
        measure(name, glove, RELIGION, DROP)
    with pytest.raises(ExpressionError, match="names\\(k=4\\) has 4"):
        measure(f'{name}(subspace="names(k=4)")', glove, GENDER, DROP)


@pytest.mark.parametrize("name", ["inlp", "leace"])
def test_a_method_that_labels_words_along_one_direction_does_so_too(
    name: str, glove: WordVectors
) -> None:
    with pytest.raises(ExpressionError, match="along one direction"):
        fit(f'{name}(subspace="names(k=4)")', glove, GENDER, DROP)


def test_the_call_that_is_advised_exists(glove: WordVectors) -> None:
    result = measure('clustering(subspace="two-means(jewish, christian)")', glove, RELIGION, DROP)
    assert result.value is not None
    with pytest.raises(UnslantError, match=r"pair-pca\(definitional, k=2\)"):
        fit("misp", glove, RELIGION, DROP)
    assert fit('misp(subspace="pair-pca(definitional, k=2)")', glove, RELIGION, DROP).stages


def test_ripa_names_its_two_groups_and_lists_no_others(glove: WordVectors) -> None:
    with pytest.raises(ExpressionError, match=r"has 3: jewish, christian, muslim"):
        measure("ripa", glove, RELIGION, DROP)
    found = measure("ripa(first=christian, second=muslim)", glove, RELIGION, DROP)
    used = {word for use in found.words for word in use.used}
    assert "islam" in used
    assert "judaism" not in used
    assert found.details["positive-side"] == "christian"
    turned = measure("ripa(first=muslim, second=christian)", glove, RELIGION, DROP)
    assert turned.value == pytest.approx(-float(found.value or 0))
    with pytest.raises(ExpressionError, match="both first and second"):
        measure("ripa(first=muslim)", glove, RELIGION, DROP)


def test_an_audit_of_religion_compares_every_two_groups() -> None:
    asked = [text for text in RELIGION.measures if text.startswith("ripa")]
    assert len(asked) == 3
    assert all(sum(group in text for text in asked) == 2 for group in RELIGION.groups)


def test_ripa_leans_to_the_first_group_whatever_the_order_of_the_columns(
    glove: WordVectors,
) -> None:
    [stability, definitional] = (
        measure(f"ripa(pairs={name})", glove, GENDER, DROP)
        for name in ("stability", "definitional")
    )
    for found in (stability, definitional):
        assert found.details["positive-side"] == "female"
        by_word = {str(p["word"]): float(p["product"]) for p in found.points}
        assert by_word["nurse"] > by_word["coach"]


def test_direct_bias_of_several_axes_counts_all_and_says_how_many(glove: WordVectors) -> None:
    result = measure("direct-bias", glove, RELIGION, DROP)
    assert result.details["axes"] == 2
    assert "mean-signed-projection" not in result.details
    sizes = [float(point["size"]) for point in result.points]
    first = [abs(float(point["projection"])) for point in result.points]
    assert np.all(np.array(sizes) >= np.array(first) - 1e-12)
    assert np.mean(sizes) > np.mean(first)
