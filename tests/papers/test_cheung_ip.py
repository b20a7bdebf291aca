"""The formulas of Cheung and Ip by hand, and their numbers on their vectors."""

import os
from pathlib import Path

import numpy as np
import pytest

import unslant as us
from experiments.papers import cheung_ip, cheung_ip_page
from experiments.papers.cheung_ip import cosine, effect_size, group_directions, projected
from unslant.concepts import concept
from unslant.concepts.wordlists import wordlist
from unslant.vectors import WordVectors


def test_the_direction_is_that_of_two_means_at_length_one() -> None:
    first = np.array([[4.0, 0.0], [0.0, 3.0]])  # mean (2, 1.5), length 2.5
    second = np.array([[0.0, 1.0], [0.0, 9.0]])  # mean (0, 5)
    one, other, direction = group_directions(first, second)
    assert one == pytest.approx([0.8, 0.6])
    assert other == pytest.approx([0.0, 1.0])
    assert direction == pytest.approx(np.array([0.8, -0.4]) / np.sqrt(0.8))


def test_after_the_projection_a_word_is_equally_close_to_both_means() -> None:
    draws = np.random.default_rng(0)
    groups = draws.normal(size=(5, 7)), 3 * draws.normal(size=(4, 7)) + 1
    one, other, direction = group_directions(*groups)
    for word in projected(draws.normal(size=(6, 7)), direction):
        assert cosine(word, one) == pytest.approx(cosine(word, other))
    plain = cheung_ip.unit(groups[0].mean(axis=0) - groups[1].mean(axis=0))
    apart = [
        abs(cosine(w, one) - cosine(w, other)) for w in projected(draws.normal(size=(6, 7)), plain)
    ]
    assert max(apart) > 0.01


def test_the_effect_size_by_hand() -> None:
    x, y = np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 2.0], [4.0, 3.0]])
    a, b = np.array([[5.0, 0.0]]), np.array([[0.0, 0.1]])
    # associations: 1 − 0, .6 − .8, 0 − 1, .8 − .6; means .4 and −.4
    values = [1.0, -0.2, -1.0, 0.2]
    for ddof in (0, 1):
        assert effect_size(x, y, a, b, ddof) == pytest.approx(0.8 / np.std(values, ddof=ddof))


def _made_vectors(*, capitals: bool) -> WordVectors:
    """Random vectors of every word that the document names."""
    lists = [wordlist(name).column("word").words for name in (cheung_ip.GENDER, cheung_ip.RACE)]
    words = {"he", "she", *lists[0], *lists[1]}
    for about, test, _ in cheung_ip.TESTS.values():
        chosen = concept(about).test(test)
        for item in (*chosen.targets.values(), *chosen.attributes.values()):
            words |= {word.lower() for word in item.words}
            words |= set(item.words) if capitals else set()
    draws = np.random.default_rng(3)
    return WordVectors.of({word: list(draws.normal(size=6)) for word in sorted(words)})


@pytest.mark.parametrize("capitals", [True, False])
def test_names_are_taken_as_printed_if_the_vectors_have_them(capitals: bool) -> None:
    vectors = _made_vectors(capitals=capitals)
    lines = [line.rsplit(",", 1) for line in cheung_ip.computed(vectors).splitlines()]
    found = {key.replace('"', ""): float(value) for key, value in lines[1:]}
    assert found["words,European American names,as printed"] == (18 if capitals else 0)
    assert found["words,European American names,with lower case"] == 18
    test = concept("gender").test("career-family")
    value = us.measure("weat(resamples=1, random_lists=0)", vectors, test).value
    assert found["WEAT,career-family,before, ddof 1"] == pytest.approx(value, abs=1e-6)


def test_a_wrong_cosine_breaks_the_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    right = dict(cheung_ip_page.results())
    assert cheung_ip_page.promises()[0].holds is True
    wrong = {**right, ("he/she", "nurse", "she"): right["he/she", "nurse", "she"] + 2e-6}
    monkeypatch.setattr(cheung_ip_page, "results", lambda: wrong)
    assert cheung_ip_page.promises()[0].holds is False


def test_all_34_cosines_come_out_of_the_papers_vectors() -> None:
    file = Path(os.environ.get("VECTORS", "")) / "glove.840B.300d.txt"
    if not file.is_file():
        pytest.skip("VECTORS names no folder with glove.840B.300d.txt")
    vectors = us.load(file)
    for word, he, she in wordlist(cheung_ip.GENDER).rows:
        row = np.asarray(vectors[str(word)], dtype=np.float64)
        for other, printed in (("he", he), ("she", she)):
            found = cosine(row, np.asarray(vectors[other], dtype=np.float64))
            assert f"{found:.6f}" == f"{printed:.6f}", (word, other)
