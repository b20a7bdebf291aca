"""Metrics of sentences: the same code as for words, without a vocabulary."""

import json
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

import unslant as us
from tests.spaces import small_concept, space
from unslant.concepts import AssociationTest, Concept
from unslant.concepts.read import parse_concept
from unslant.measures.registry import SPACE, VOCABULARY, metrics
from unslant.measures.running import measure
from unslant.vectors import SentenceSpace, WordVectors

WORDS = [f"{side}{n}" for side in "lr" for n in range(3)] + [f"n{n}" for n in range(4)]
WORD_VECTORS = space(WORDS, np.random.default_rng(4).normal(size=(len(WORDS), 5)))
TOY = small_concept()
OF_WORDS = [entry.name for entry in metrics() if entry.facts.needs == VOCABULARY]
OF_SPACES = [
    entry.name
    for entry in metrics()
    if entry.facts.needs == SPACE
    and entry.name not in ("rnsb", "sembias", "relatedness")  # with English words, with sentences
    and entry.name not in ("ceat", "probing")  # put words into contexts
]


def encoded(vectors: WordVectors, name: str = "encoder") -> SentenceSpace:
    """A space of sentences that gives single words the vectors of a file."""
    return us.space(lambda texts: vectors.rows(texts), name=name)


def association_test(sets: dict[str, Sequence[str]]) -> AssociationTest:
    """A test with the first two sets as targets."""
    t1, t2, a1, a2 = (f'"{name}" = {json.dumps(list(items))}' for name, items in sets.items())
    text = f'name = "s"\n[tests.one]\ntargets = {{ {t1}, {t2} }}\nattributes = {{ {a1}, {a2} }}'
    return parse_concept(text, "s.toml").test("one")


def test_weat_of_sentences_by_hand() -> None:
    # s of the sentences about her is 1 − 0 and 0.6 − 0.8, of those about him the reverse.
    # d = (0.4 + 0.4) / sd(1, −0.2, −1, 0.2) = 0.8 / √(2.08 / 3).
    vector_of = {
        "She cooks.": (2.0, 0.0),
        "She is at home.": (0.6, 0.8),
        "He leads.": (0.0, 3.0),
        "He is at work.": (8.0, 6.0),
        "This is family.": (5.0, 0.0),
        "This is a career.": (0.0, 1.0),
    }
    sentences = list(vector_of)
    parts = (sentences[:2], sentences[2:4], sentences[4:5], sentences[5:])
    test = association_test(dict(zip(("her", "him", "family", "job"), parts, strict=True)))
    pages = us.space(lambda texts: [vector_of[text] for text in texts], name="pages")
    found = measure("weat", pages, test)
    assert found.value == pytest.approx(0.8 / (2.08 / 3) ** 0.5)
    assert found.effective_words == tuple(map(tuple, parts))
    assert not any("random" in key for key in found.details), "there is no vocabulary to draw from"
    assert found.inputs["vectors"] == "pages"
    vector_of["Something else."] = (1.0, 1.0)
    pages.rows(["Something else."])
    assert measure("weat", pages, test) == found, "whatever else was asked"


def bag_of_words(texts: list[str]) -> NDArray[np.float64]:
    """A toy encoder: the sum of a random vector for each word."""

    def vector(word: str) -> NDArray[np.float64]:
        return np.random.default_rng(crc32(word.encode())).normal(size=20)

    return np.array([np.sum([vector(word) for word in text.split()], axis=0) for text in texts])


def test_seat_is_weat_on_sentences(data: Path) -> None:
    given = json.loads((data / "seat" / "sent-weat6.jsonl").read_text())
    sets = {part["category"]: part["examples"] for part in given.values()}
    found = measure("weat", us.space(bag_of_words, name="bags"), association_test(sets))
    t1, t2, a1, a2 = (
        rows / np.linalg.norm(rows, axis=1, keepdims=True)
        for rows in (bag_of_words(list(dict.fromkeys(items))) for items in sets.values())
    )
    scores = [(rows @ a1.T).mean(axis=1) - (rows @ a2.T).mean(axis=1) for rows in (t1, t2)]
    spread = np.concatenate(scores).std(ddof=1)
    assert found.value == pytest.approx((scores[0].mean() - scores[1].mean()) / spread, rel=1e-5)
    assert found.p is not None
    assert found.interval is not None
    assert [use.missing for use in found.words] == [()] * 4


def subject_of(name: str) -> Concept | AssociationTest:
    takes = next(entry.facts.takes for entry in metrics() if entry.name == name)
    return TOY.test("one") if takes == "test" else TOY


@pytest.mark.parametrize("name", OF_SPACES)
def test_single_words_give_what_word_vectors_give(name: str) -> None:
    of_words = measure(name, WORD_VECTORS, subject_of(name))
    of_sentences = measure(name, encoded(WORD_VECTORS), subject_of(name))
    assert of_words.value is not None
    for part in ("value", "p", "interval", "words", "points", "influence", "warnings"):
        assert getattr(of_sentences, part) == getattr(of_words, part)
    keys = {*of_words.details, *(key for point in of_words.points for key in point)}
    assert not any(" " in key for key in keys), "keys are ids"


@pytest.mark.parametrize("name", OF_WORDS)
def test_a_metric_that_needs_a_vocabulary_says_what_would_have_one(name: str) -> None:
    sentences = encoded(WORD_VECTORS, "minilm")
    for given, before in ((sentences, None), (WORD_VECTORS, sentences)):
        with pytest.raises(us.UnslantError, match=f"^{name} needs a vocabulary.* minilm .*us.load"):
            measure(name, given, TOY, baseline=before)


def test_the_most_frequent_words_of_sentences_are_refused() -> None:
    with pytest.raises(us.UnslantError, match="minilm has none"):
        measure("direct-bias(neutral=most-frequent)", encoded(WORD_VECTORS, "minilm"), TOY)


def test_a_baseline_of_sentences_gives_the_direction() -> None:
    matrix = np.array(WORD_VECTORS.matrix)
    matrix[:, 0] *= 0.5
    after = space(WORDS, matrix)
    of_words = measure("direct-bias", after, TOY, baseline=WORD_VECTORS)
    found = measure("direct-bias", encoded(after), TOY, baseline=encoded(WORD_VECTORS, "before"))
    assert found.value == of_words.value
    assert found.value != measure("direct-bias", encoded(after), TOY).value
    assert found.inputs["baseline"] == "before"
    assert not any("another space" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    "estimator",
    ["pair-pca(k=2)", "two-means(words)", "names(k=2)", "set-pca(all)", "classifier-normal(words)"],
)
def test_estimators_take_sentences(estimator: str) -> None:
    of_words = us.estimate(estimator, WORD_VECTORS, TOY)
    assert np.array_equal(us.estimate(estimator, encoded(WORD_VECTORS), TOY).basis, of_words.basis)


def test_random_directions_need_the_dimension() -> None:
    given = us.space(WORD_VECTORS.rows, name="encoder", dim=5)
    expected = us.estimate("random(k=2)", WORD_VECTORS, TOY).basis
    assert np.array_equal(us.estimate("random(k=2)", given, TOY).basis, expected)
    with pytest.raises(us.UnslantError, match="dim=…"):
        us.estimate("random", encoded(WORD_VECTORS), TOY)
