"""Scores of spans: all at once, one by one, and by the formula."""

from typing import Any

import numpy as np
import pytest

from tests.made_coreference import SHAPE, TWO_PEOPLE, made_vectors, random_network
from unslant.models.coreference.layout import DocumentWords, layout

torch = pytest.importorskip("torch", reason="the network needs torch")


def read() -> tuple[Any, Any, Any]:
    words = DocumentWords()
    laid = layout([words.read(TWO_PEOPLE.sentences)])
    network = random_network()
    with torch.inference_mode():
        states = network.read(torch.from_numpy(words.table(made_vectors())), laid)
    return network.mentions, states, laid


def spans(laid: Any) -> list[tuple[int, int]]:
    room = laid.room.tolist()
    return [
        (begin, begin + width)
        for begin in range(len(room))
        for width in range(1, min(SHAPE.widest, room[begin]) + 1)
    ]


def test_all_spans_at_once_have_the_scores_of_spans_one_by_one() -> None:
    mentions, states, laid = read()
    own = spans(laid)
    with torch.inference_mode():
        everything = mentions.all_scores(*states, torch.from_numpy(laid.room))
        begin, end = torch.tensor(own).T
        given = mentions.scores(*states, begin, end)
    assert int((everything > -torch.inf).sum()) == len(own)
    assert torch.allclose(everything[begin, end - begin - 1], given, atol=1e-5)


def test_a_span_has_the_score_that_the_formula_gives() -> None:
    mentions, (states, lexical, _), laid = read()
    begin, end = 2, 5
    h, x = states.numpy().astype(np.float64), lexical.numpy().astype(np.float64)
    w = {
        name: value.detach().numpy().astype(np.float64)
        for name, value in mentions.named_parameters()
    }
    logits = h[begin:end] @ w["attention.weight"][0] + w["attention.bias"][0]
    attention = np.exp(10 * np.tanh(logits / 10))
    inside = attention @ x[begin:end] / attention.sum()
    hidden = w["first.weight"] @ h[begin] + w["first.bias"] + w["last.weight"] @ h[end - 1]
    hidden += w["inside.weight"] @ inside + w["width.weight"][end - begin - 1]
    expected = w["score.weight"][0] @ np.maximum(hidden, 0) + w["score.bias"][0]
    with torch.inference_mode():
        scores = mentions.all_scores(*read()[1], torch.from_numpy(laid.room))
    assert float(scores[begin, end - begin - 1]) == pytest.approx(expected, abs=1e-4)


def test_no_span_crosses_a_sentence() -> None:
    mentions, states, laid = read()
    with torch.inference_mode():
        scores = mentions.all_scores(*states, torch.from_numpy(laid.room))
    last_word = 5
    assert scores[last_word, 0] > -torch.inf
    assert (scores[last_word, 1:] == -torch.inf).all()
