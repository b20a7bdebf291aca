"""What an ELMo gives: as released code gave it, and as a second implementation does."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.elmo import by_hand
from tests.models.elmo.made_elmo import OPTIONS, random_arrays, stored_arrays_of, write_elmo
from unslant.models.elmo import ElmoModel, load_elmo
from unslant.models.language.model import load_model

TEXT = "The Größe of a nurse , she said to extraordinarily few ."


def layers_of(model: ElmoModel, text: str, memories: Any = None) -> tuple[list[Any], Any]:
    import torch

    ids = torch.tensor([model.tokens.of([text])[0].ids])
    with torch.inference_mode():
        found, kept = model.network.layers(ids, memories)
    return [layer[0].numpy() for layer in found], kept


def test_the_released_outputs_are_met_with_the_memory_that_official_code_carries(
    released_folder: Path,
) -> None:
    """Stored: the last layer, ahead and back, of ten sentences read one after the other.

    The official test reads each sentence with what the LSTMs remember of the one before, in every
    row of its batches; the file has the first row.
    """
    model = load_elmo(released_folder)
    sentences = json.loads((released_folder / "sentences.json").read_text(encoding="utf-8"))[0]
    stored = stored_arrays_of(released_folder / "lm_embeddings_0.hdf5")
    assert len(stored) == len(sentences) == 10
    memory, from_nothing = None, []
    for number, sentence in enumerate(sentences):
        expected = np.concatenate(list(stored[str(number)]), axis=-1)
        found, memory = layers_of(model, sentence, memory)
        assert expected.shape == (len(sentence.split()), 32)
        np.testing.assert_allclose(found[2], expected, rtol=0, atol=1e-5)
        from_nothing.append(np.abs(layers_of(model, sentence)[0][2] - expected).max())
    assert from_nothing[0] < 1e-5  # the first sentence has nothing before it
    assert min(from_nothing[1:]) > 1  # and memory is not a detail


def test_the_first_released_sentence_has_the_stored_vectors_at_its_place(
    released_folder: Path,
) -> None:
    model = load_model(released_folder)
    sentence = json.loads((released_folder / "sentences.json").read_text(encoding="utf-8"))[0][0]
    stored = stored_arrays_of(released_folder / "lm_embeddings_0.hdf5")["0"]
    rows = model.vectors([sentence], ["lstm:-1", "lstm:2[last]"])
    mean, last = rows.values()
    np.testing.assert_allclose(mean[0], np.hstack(list(stored.mean(axis=1))), rtol=0, atol=1e-5)
    np.testing.assert_allclose(last[0], np.hstack(list(stored[:, -1])), rtol=0, atol=1e-5)


def test_all_layers_of_the_released_model_equal_the_second_implementation(
    released_folder: Path,
) -> None:
    options = json.loads((released_folder / "options.json").read_text(encoding="utf-8"))
    arrays = stored_arrays_of(released_folder / "lm_weights.hdf5")
    found, _ = layers_of(load_elmo(released_folder), TEXT)
    for layer, expected in zip(found, by_hand.layers(TEXT, options, arrays), strict=True):
        np.testing.assert_allclose(layer, expected, rtol=0, atol=2e-6)


def changed(table: str, **values: Any) -> Mapping[str, Any]:
    options: dict[str, Any] = copy.deepcopy(dict(OPTIONS))
    options[table].update(values)
    return options


@pytest.mark.parametrize(
    "options",
    [
        OPTIONS,
        changed("lstm", use_skip_connections=False),
        changed("lstm", n_layers=3),
        changed("char_cnn", activation="tanh", n_highway=1),
    ],
    ids=["as released", "without skip connections", "three layers", "tanh"],
)
def test_a_second_implementation_gives_the_same_layers(
    options: Mapping[str, Any], tmp_path: Path
) -> None:
    arrays = random_arrays(options)
    write_elmo(tmp_path, options, arrays)
    found, _ = layers_of(load_elmo(tmp_path), TEXT)
    expected = by_hand.layers(TEXT, options, arrays)
    assert len(found) == len(expected) == options["lstm"]["n_layers"] + 1
    for layer, by in zip(found, expected, strict=True):
        np.testing.assert_allclose(layer, by, rtol=0, atol=2e-6)


@pytest.mark.parametrize("limit", ["cell_clip", "proj_clip"])
def test_limits_are_met_and_can_be_left_out(limit: str, elmo: ElmoModel, tmp_path: Path) -> None:
    write_elmo(tmp_path, changed("lstm", **{limit: None}), random_arrays(OPTIONS))
    free, _ = layers_of(load_elmo(tmp_path), TEXT)
    limited, _ = layers_of(elmo, TEXT)
    assert np.abs(limited[1]).max() <= np.float32(0.4)
    assert np.abs(free[1] - limited[1]).max() > 1e-3
    if limit == "proj_clip":
        assert np.abs(free[1]).max() > 0.4


def test_a_text_has_the_same_vectors_whatever_is_asked_with_it(elmo: ElmoModel) -> None:
    draw = np.random.default_rng(0)
    words = ["she", "he", "a", "nurse", "is", "here", ".", "said", "Größe", "日本", "the"]
    texts = [" ".join(draw.choice(words, draw.integers(1, 12))) for _ in range(300)]
    places = ["chars", "lstm:1", "lstm:2", "all"]
    together = elmo.vectors(texts, places)
    order = draw.permutation(len(texts))
    again = elmo.vectors([texts[n] for n in order], places)
    for place, rows in together.items():
        np.testing.assert_allclose(again[place], rows[order], rtol=0, atol=5e-6)
        for n in order[:20]:
            alone = elmo.vectors([texts[n]], [place])[place]
            np.testing.assert_allclose(alone[0], rows[n], rtol=0, atol=5e-6)
