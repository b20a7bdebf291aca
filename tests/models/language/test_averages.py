"""Type averages over a corpus, against brute force, sentence by sentence."""

import re
from itertools import islice

import numpy as np
import pytest

from tests.language_models import data_folder, real_model
from unslant.core.errors import UnslantError
from unslant.datasets.corpora import sentences_of
from unslant.models.language import averages
from unslant.models.language.averages import type_averages

TEXTS = [
    "The nurse called her mother, and the nurse wept.",
    "He's a well-known physician; she is a nurse!",
    "Nothing here is about unaffableness.",
    "She is here.",
    "The nurse called her mother, and the nurse wept.",
]


def brute(model, place: str, texts: list[str]) -> dict[str, tuple[int, np.ndarray]]:  # type: ignore[no-untyped-def]
    """Every occurrence marked and encoded on its own."""
    found: dict[str, list[np.ndarray]] = {}
    for text in texts:
        for match in re.finditer(r"[A-Za-z]+(?:['-][A-Za-z]+)*", text):
            marked = f"{text[: match.start()]}[[{match[0]}]]{text[match.end() :]}"
            [row] = model.vectors([marked], [f"{place}[word]"]).values()
            found.setdefault(match[0].lower(), []).append(row[0].astype(np.float64))
    return {word: (len(rows), np.mean(rows, axis=0)) for word, rows in found.items()}


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_averages_equal_those_of_every_occurrence_on_its_own(name: str) -> None:
    model = real_model(name)
    place = "layer:-1" if name == "minilm" else "layer:3"
    expected = brute(model, place, TEXTS)
    found = type_averages(model, place, TEXTS, least=1)
    assert set(found.words) == set(expected)
    for word, (_, row) in expected.items():
        assert np.allclose(found[word], row, atol=1e-4), word
    counts = [expected[word][0] for word in found.words]
    assert counts == sorted(counts, reverse=True)
    assert found.words[0] == "nurse"
    assert found.origin["sentences"] == "5"


def test_a_word_of_several_pieces_is_one_word() -> None:
    found = type_averages(real_model("minilm"), "layer:2", TEXTS, ["unaffableness", "Nurse"])
    assert list(found.words) == ["Nurse"]  # the other one occurs less than five times
    both = type_averages(
        real_model("minilm"), "layer:2", TEXTS, ["unaffableness", "Nurse"], least=1
    )
    assert list(both.words) == ["Nurse", "unaffableness"]


def test_rare_words_are_forgotten_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(averages, "BLOCK", 2)
    model = real_model("minilm")
    whole = type_averages(model, "layer:1", TEXTS, least=1)
    few = type_averages(model, "layer:1", TEXTS, least=1, most=4)
    assert len(few.words) < len(whole.words)
    assert np.allclose(few["nurse"], whole["nurse"], atol=1e-5)


def test_a_sentence_longer_than_the_model_reads_is_left_out_and_counted() -> None:
    long = "word " * 3_000
    found = type_averages(real_model("minilm"), "layer:1", [*TEXTS, long], least=1)
    assert found.origin["sentences-too-long"] == "1"
    assert "word" not in set(found.words)


def test_brackets_in_a_corpus_are_not_taken_for_marks() -> None:
    model = real_model("minilm")
    found = type_averages(model, "layer:1", ["[[Footnote]] The end."], least=1)
    same = type_averages(model, "layer:1", ["[Footnote] The end."], least=1)
    assert np.allclose(found["end"], same["end"], atol=1e-6)


def test_places_without_a_vector_for_each_word_are_refused() -> None:
    for place in ("wordpieces", "sentence", "layer:-1[cls]"):
        with pytest.raises(UnslantError, match="no vector for each word"):
            type_averages(real_model("minilm"), place, TEXTS)
    with pytest.raises(UnslantError, match="No word occurs 50 times"):
        type_averages(real_model("minilm"), "layer:1", TEXTS, least=50)


def test_averages_over_novels_know_which_words_are_alike() -> None:
    corpus = data_folder("corpus") / "100-english-novels.txt.xz"
    sentences = list(islice(sentences_of(corpus), 3_000))
    found = type_averages(real_model("minilm"), "layer:2", iter(sentences), least=10)
    assert list(found.words[:3]) == sorted(
        found.words[:3], key=lambda word: -_count(sentences, word)
    )
    rows = {word: found[word] / np.linalg.norm(found[word]) for word in ("he", "she", "house")}
    assert rows["he"] @ rows["she"] > rows["he"] @ rows["house"] + 0.05


def _count(sentences: list[str], word: str) -> int:
    return sum(len(re.findall(rf"(?<![\w'’-]){word}(?![\w'’-])", s.lower())) for s in sentences)
