"""Methods fitted at places of a language model, on contexts and on a corpus."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.real_models import real_model
from unslant.concepts import concept
from unslant.concepts.concept_sentences import in_contexts, in_corpus
from unslant.concepts.contexts import EVERYDAY
from unslant.core.errors import ConceptError, UnslantError
from unslant.core.files import cache_folder
from unslant.models.language.base import LanguageModel
from unslant.models.language.model import load_model
from unslant.models.language.space import VectorCache
from unslant.studies.at_places import fit_at_places
from unslant.studies.verbs import debias, fit, measure
from unslant.vectors.cache import Cache

pytest.importorskip("torch")
pytest.importorskip("transformers")


@cache
def minilm() -> LanguageModel:
    return load_model(real_model("minilm"))


def test_leace_at_a_layer_leaves_a_linear_probe_nothing_and_keeps_the_mean() -> None:
    from sklearn.linear_model import LogisticRegression

    model = minilm()
    after = debias("leace(held_out=0)@layer:-1", model, "gender")
    sentences = in_contexts(concept("gender"), EVERYDAY)
    texts = [text for group in sentences.groups for text in sentences.words[group].all_words]
    labels = np.repeat(
        range(2), [len(sentences.words[group].all_words) for group in sentences.groups]
    )
    before_rows, rows = (
        np.asarray(one.at("layer:-1").rows(texts), dtype=np.float64) for one in (model, after)
    )
    assert np.abs(rows.mean(axis=0) - before_rows.mean(axis=0)).max() < 1e-5

    order = np.random.default_rng(0).permutation(len(texts))
    held = order[: len(texts) // 4]
    seen = np.setdiff1d(order, held)
    chance = max(np.mean(labels[held] == label) for label in (0, 1))
    accuracies = {}
    for name, features in (("before", before_rows), ("after", rows)):
        probe = LogisticRegression(C=1e-2, max_iter=2000).fit(features[seen], labels[seen])
        accuracies[name] = float(np.mean(probe.predict(features[held]) == labels[held]))
    assert accuracies["before"] > 0.95
    # The theorem: fitted on these sentences, the mean difference along any direction is 0.
    gap = rows[labels == 0].mean(axis=0) - rows[labels == 1].mean(axis=0)
    assert np.abs(gap).max() < 1e-4
    assert accuracies["after"] <= chance + 0.02


def test_each_place_is_fitted_on_what_the_ones_before_left() -> None:
    model = minilm()
    together = fit("linear@layer:2 | linear@layer:4", model, "gender")
    alone = fit("linear@layer:4", model, "gender")
    first, second = (step.eraser.stages[0].removed for step in together.steps)
    assert first is not None
    assert second is not None
    assert alone.steps[0].eraser.stages[0].removed is not None
    cosine = abs(float(second[0] @ alone.steps[0].eraser.stages[0].removed[0]))
    assert cosine < 0.999


def test_what_cannot_act_at_a_place_is_refused_by_name() -> None:
    model = minilm()
    for text, reason in {
        "hard@layer:-1": "hard cannot act at layer:-1",
        "linear": "Say where in minilm linear should act",
        "linear@layer:99": "its layers are 1 to 6",
        "leace@layer:-1[word]": "nothing can act on .word. alone",
        "gp@layer:1": "gp",
        "elmo-all": "is for an ELMo",
    }.items():
        with pytest.raises(UnslantError, match=reason):
            fit_at_places(text, model, "gender")


def test_a_corpus_gives_pairs_that_differ_in_one_word(tmp_path: Path) -> None:
    text = "He saw the sea. The woman went home. She took his hat. Nothing here.\n" * 12
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(text)
    found = in_corpus(concept("gender"), corpus)
    rows = found.sets["definitional"].rows
    assert ("[[She]] saw the sea.", "[[He]] saw the sea.") in rows
    assert ("The [[woman]] went home.", "The [[man]] went home.") in rows
    assert not any("hat" in str(cell) for row in rows for cell in row)  # "his" would stay
    assert found.content_hash != concept("gender").content_hash
    with pytest.raises(ConceptError, match="fewer than 10 sentences"):
        in_corpus(concept("gender"), ["He saw the sea."])


def test_methods_are_fitted_on_a_corpus_too(tmp_path: Path) -> None:
    corpus = [f"{who} saw the {what}." for who in ("He", "She") for what in "abcdefghijkl"]
    pair = 'linear(subspace="pair-pca(definitional, unit_length=false)")@layer:3'
    step = fit(pair, minilm(), "gender", corpus=corpus).steps[0]
    assert step.eraser.stages[0].removed is not None


def test_kept_vectors_are_the_same_and_a_changed_byte_is_computed_again(tmp_path: Path) -> None:
    model, texts = minilm(), ["She is here.", "He is there."]
    plain = model.at("layer:2").rows(texts)
    kept = VectorCache(tmp_path / "texts.sqlite")
    for _ in range(2):
        space = model.at("layer:2", cache=kept)
        assert np.abs(space.rows(texts) - plain).max() < 1e-6
    known = kept.get(space.content_hash, texts, 384)
    assert set(known) == set(texts)
    assert kept.get("another space", texts, 384) == {}
    assert kept.get(space.content_hash, texts, 383) == {}
    import sqlite3

    with sqlite3.connect(kept.path) as connection:
        [(key, value)] = connection.execute("SELECT key, value FROM texts LIMIT 1").fetchall()
        changed = bytes([value[0] ^ 1]) + value[1:]
        connection.execute("UPDATE texts SET value = ? WHERE key = ?", (changed, key))
    assert len(kept.get(space.content_hash, texts, 384)) == 1
    assert np.abs(model.at("layer:2", cache=kept).rows(texts) - plain).max() < 1e-6


def test_clearing_the_cache_removes_kept_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))
    kept = VectorCache()
    kept.put("a space", ["a text"], np.ones((1, 3), np.float32))
    assert kept.path in set(Cache(cache_folder()).files())
    Cache(cache_folder()).clear()
    assert kept.get("a space", ["a text"], 3) == {}


def test_a_place_is_named_in_one_text_and_measured_like_vectors() -> None:
    folder = real_model("minilm")
    test = concept("gender").test("career-family")
    named = measure("weat(random_lists=0)", f"{folder}@layer:-1[cls]", test)
    given = measure("weat(random_lists=0)", minilm().at("layer:-1[cls]", "bleached"), test)
    assert named.value == pytest.approx(given.value)
    assert named.inputs["vectors"] == "minilm@layer:-1[cls] in bleached contexts"
