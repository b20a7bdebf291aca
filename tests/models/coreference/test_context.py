"""Vectors of words in their sentences, beside the static ones."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.language_models import real_model
from tests.made_coreference import A_NURSE, TWO_PEOPLE, made_vectors
from unslant.core.errors import UnslantError
from unslant.core.places import parse_place
from unslant.models.coreference.data import CorefData
from unslant.models.coreference.settings import CorefTraining

pytest.importorskip("torch", reason="the network needs torch")


def minilm(place: str = "layer:-1") -> Any:
    from unslant.models.coreference.context import WordsInSentences

    return WordsInSentences(real_model("minilm"), parse_place(place))


def test_a_word_has_the_mean_over_its_pieces_and_one_length() -> None:
    from unslant.models.language.passes import batches

    found = minilm()
    words = ("Underwhelmingly", "she", "[[", "left", ".")
    (document,) = found.of([[words, ("no",)]])
    assert document.shape == (6, 384)
    assert np.linalg.norm(document, axis=1) == pytest.approx(np.full(6, np.sqrt(384) / 2), rel=1e-4)
    model, place = found.model, found.place
    (batch,) = batches(model, ["Underwhelmingly she [ left ."], [place])
    pieces = batch.states[place][0].float().numpy()
    assert len(pieces) > 7  # the first word has several pieces, and two are added
    for word, rows in ((document[0], pieces[1 : len(pieces) - 5]), (document[4], pieces[-2:-1])):
        mean = rows.mean(0)
        assert word == pytest.approx(mean * np.sqrt(384) / 2 / np.linalg.norm(mean), abs=1e-3)


def test_the_same_word_differs_by_its_sentence_and_long_sentences_are_read_in_parts() -> None:
    found = minilm()
    first, second = found.of([[("she", "left")], [("she", "is", "old")]])
    assert np.abs(first[0] - second[0]).max() > 0.05
    long = tuple(["the", "nurse", "left", "and"] * 300)
    (document,) = found.of([[long]])
    assert document.shape == (1200, 384)
    assert np.isfinite(document).all()


def test_a_model_with_context_is_trained_kept_and_asked(tmp_path: Path) -> None:
    from unslant.models.coreference.retrain import train_to
    from unslant.models.coreference.trained import load_coref

    data = CorefData((TWO_PEOPLE, A_NURSE), (A_NURSE,))
    how = CorefTraining(rounds=2, patience=2, hidden=8, projected=8, scorer=8, product=4, widest=3)
    path = tmp_path / "m.safetensors"
    train_to(path, made_vectors(), data, how, context=minilm())
    made = load_coref(path)
    assert made.shape.context == 384
    assert made.record["context"]["place"] == "layer:-1"
    words = [TWO_PEOPLE.words, A_NURSE.words]
    model = made.on(made_vectors())
    assert model.resolve(words) == [model.resolve([each])[0] for each in words]
    with pytest.raises(UnslantError, match="whose hash is"):
        made.on(made_vectors(), real_model("gte-small"))
    moved = replace(
        made, record={**made.record, "context": {**made.record["context"], "folder": "x"}}
    )
    with pytest.raises(UnslantError, match="not in x any more"):
        moved.on(made_vectors())


def test_places_without_a_vector_for_each_word_are_refused() -> None:
    with pytest.raises(UnslantError, match="no vector for each word"):
        minilm("sentence")
