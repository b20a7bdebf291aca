"""A second implementation of ELMo: numpy, one word and one step at a time, from the stored arrays.

It follows the description of the official TensorFlow code and shares nothing with the network.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def _sigma(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def spelling(word: str, length: int) -> list[int]:
    """Rows of the stored table, which has no row for nothing."""
    inside = {"<S>": [256], "</S>": [257]}.get(word, list(word.encode()[: length - 2]))
    signs = [258, *inside, 259]
    return signs + [260] * (length - len(signs))


def token(word: str, options: Mapping[str, Any], arrays: Mapping[str, Array]) -> Array:
    """What the characters of a word give."""
    cnn = options["char_cnn"]
    letters = arrays["char_embed"].astype(float)[spelling(word, cnn["max_characters_per_token"])]
    parts = []
    for number, (size, _) in enumerate(cnn["filters"]):
        kernel = arrays[f"CNN/W_cnn_{number}"][0].astype(float)
        windows = range(len(letters) - size + 1)
        seen = [np.einsum("wd,wdf->f", letters[at : at + size], kernel) for at in windows]
        best = np.max(seen, axis=0) + arrays[f"CNN/b_cnn_{number}"]
        parts.append(np.maximum(best, 0) if cnn["activation"] == "relu" else np.tanh(best))
    state = np.concatenate(parts)
    for number in range(cnn["n_highway"]):
        at = {name: arrays[f"CNN_high_{number}/{name}"] for name in _HIGHWAY}
        gate = _sigma(state @ at["W_carry"] + at["b_carry"])
        new = np.maximum(state @ at["W_transform"] + at["b_transform"], 0)
        state = gate * new + (1 - gate) * state
    return np.asarray(state @ arrays["CNN_proj/W_proj"] + arrays["CNN_proj/b_proj"])


_HIGHWAY = ("W_carry", "b_carry", "W_transform", "b_transform")


def lstm(inputs: list[Array], cell: Mapping[str, Array], options: Mapping[str, Any]) -> list[Array]:
    """The outputs of one LSTM, step by step; the gates are input, new, forget, output."""
    limit = options["lstm"]["cell_clip"], options["lstm"]["proj_clip"]
    hidden = np.zeros(cell["W_P_0"].shape[1])
    memory = np.zeros(cell["W_P_0"].shape[0])
    outputs = []
    for given in inputs:
        i, j, f, o = np.split(np.concatenate([given, hidden]) @ cell["W_0"] + cell["B"], 4)
        memory = _sigma(f + 1) * memory + _sigma(i) * np.tanh(j)
        memory = np.clip(memory, -limit[0], limit[0])
        hidden = (_sigma(o) * np.tanh(memory)) @ cell["W_P_0"]
        hidden = np.clip(hidden, -limit[1], limit[1])
        outputs.append(hidden)
    return outputs


def layers(text: str, options: Mapping[str, Any], arrays: Mapping[str, Array]) -> list[Array]:
    """The layers (words × 2 widths) of a text that begins without memory."""
    tokens = [token(word, options, arrays) for word in ["<S>", *text.split(), "</S>"]]
    found = [np.stack([np.concatenate([vector, vector]) for vector in tokens])]
    ways = [tokens, tokens[::-1]]
    for layer in range(options["lstm"]["n_layers"]):
        for way in (0, 1):
            group = f"RNN_{way}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/"
            cell = {name: arrays[group + name].astype(float) for name in ("W_0", "B", "W_P_0")}
            outputs = lstm(ways[way], cell, options)
            if layer and options["lstm"]["use_skip_connections"]:
                outputs = [new + old for new, old in zip(outputs, ways[way], strict=True)]
            ways[way] = outputs
        found.append(np.hstack([np.stack(ways[0]), np.stack(ways[1][::-1])]))
    return [layer[1:-1] for layer in found]
