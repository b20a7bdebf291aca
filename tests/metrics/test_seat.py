"""WEAT on sentences: words are the observations; the published test is a named option."""

import json
from itertools import combinations

import numpy as np
import pytest

import unslant as us
from tests.language_models import data_folder, real_model
from unslant.concepts.read import parse_concept
from unslant.concepts.seat import seat_test
from unslant.core.errors import UnslantError
from unslant.core.types import Array
from unslant.models.language.shared import spaces_at

TESTS = ("1", "3", "3b", "4", "5", "6", "6b", "7", "7b", "8", "8b")

TOY = """\
name = "toy"
items = "sentences"
[templates]
one = ["A {}.", "B {}.", "C {}."]
[kinds]
one = ["p", "q", "r", "s", "t", "u", "a1", "a2", "b1", "b2"]
[tests.one]
targets = { x = ["p", "q", "r"], y = ["s", "t", "u"] }
attributes = { a = ["a1", "a2"], b = ["b1", "b2"] }
"""


def random_vectors(texts: list[str]) -> Array:
    """A vector for each text that depends on nothing else."""
    return np.stack([np.random.default_rng(list(text.encode())).normal(size=6) for text in texts])


def unit(rows: Array) -> Array:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def published_effect(x: Array, y: Array, a: Array, b: Array) -> float:
    """The effect size by its formula, sentence by sentence."""

    def cos(w: Array, v: Array) -> float:
        return float(w @ v / np.linalg.norm(w) / np.linalg.norm(v))

    def s(w: Array) -> float:
        return float(np.mean([cos(w, v) for v in a]) - np.mean([cos(w, v) for v in b]))

    sx, sy = [s(w) for w in x], [s(w) for w in y]
    return float((np.mean(sx) - np.mean(sy)) / np.std(sx + sy, ddof=1))


def effect_of_words(parts: list[list[Array]]) -> tuple[float, list[float]]:
    """The effect size with words as observations: mean cosines over pairs of sentences."""
    x, y, a, b = parts

    def mean(v: Array, w: Array) -> float:
        return float((unit(v) @ unit(w).T).mean())

    s = [np.mean([mean(v, w) for w in a]) - np.mean([mean(v, w) for w in b]) for v in (*x, *y)]
    d = (np.mean(s[: len(x)]) - np.mean(s[len(x) :])) / np.std(s, ddof=1)
    return float(d), [float(value) for value in s]


def test_a_word_counts_once_however_many_sentences_stand_for_it() -> None:
    toy = parse_concept(TOY, "toy.toml").test("one")
    pages = us.space(random_vectors, name="pages")
    found = us.measure("weat", pages, toy)
    sets = [*toy.targets.values(), *toy.attributes.values()]
    parts = [[random_vectors(list(texts)) for texts in item.sentences] for item in sets]
    d, s = effect_of_words(parts)
    assert found.value == pytest.approx(d, abs=1e-6)
    assert found.p is not None
    splits = [np.mean([s[i] for i in c]) for c in combinations(range(6), 3)]
    observed = np.mean(s[:3])
    as_extreme = [abs(2 * m - 2 * np.mean(s)) >= abs(2 * observed - 2 * np.mean(s)) - 1e-9
                  for m in splits]  # fmt: skip
    assert found.p.value == pytest.approx(np.mean(as_extreme))
    assert found.p.outcomes == 20  # 6 words, not 18 sentences
    assert found.effective_words[0] == ("p", "q", "r")


def test_repeating_every_sentence_changes_nothing_about_words() -> None:
    toy = parse_concept(TOY, "toy.toml").test("one")
    more = TOY.replace('"C {}."', '"C {}.", "A {}. ", "B {}. ", "C {}. "')
    twice = parse_concept(more, "toy.toml").test("one")
    pages = us.space(lambda texts: random_vectors([t.strip() for t in texts]), name="pages")
    one, two = us.measure("weat", pages, toy), us.measure("weat", pages, twice)
    assert one.value == pytest.approx(two.value)
    assert one.p is not None
    assert two.p is not None
    assert one.p.value == two.p.value
    # The published test would be twice as sure for having been told the same twice (or more).
    three, four = (us.measure("weat(each=sentence)", pages, test) for test in (toy, twice))
    assert three.p is not None
    assert four.p is not None
    assert four.p.outcomes > three.p.outcomes


def test_the_published_test_finds_bias_in_noise_and_ours_does_not() -> None:
    """Words with a vector of their own plus noise for each sentence, and no association at all."""
    toy = parse_concept(TOY, "toy.toml").test("one")
    ours, published = 0, 0
    for seed in range(60):

        def encode(texts: list[str], seed: int = seed) -> Array:
            words = [text.split()[1] for text in texts]
            own = [np.random.default_rng([seed, *w.encode()]).normal(size=8) for w in words]
            noise = [np.random.default_rng([seed, *t.encode()]).normal(size=8) for t in texts]
            return np.stack(own) + 0.3 * np.stack(noise)

        pages = us.space(encode, name="pages")
        for each in ("word", "sentence"):
            found = us.measure(f"weat(each={each})", pages, toy)
            assert found.p is not None
            ours += each == "word" and found.p.value <= 0.1
            published += each == "sentence" and found.p.value <= 0.1
    assert ours <= 12  # 6 are expected; 12 or more have a probability of 1.5 %
    assert published >= 15


def test_the_published_option_is_named_as_such() -> None:
    toy = parse_concept(TOY, "toy.toml").test("one")
    pages = us.space(random_vectors, name="pages")
    found = us.measure("weat(each=sentence)", pages, toy)
    sets = [*toy.targets.values(), *toy.attributes.values()]
    rows = [random_vectors([t for texts in item.sentences for t in texts]) for item in sets]
    assert found.value == pytest.approx(published_effect(*rows), abs=1e-6)
    assert any("too small" in text for text in found.warnings)


def test_sentences_are_not_looked_up_in_vectors_of_words() -> None:
    with pytest.raises(UnslantError, match="measures sentences"):
        us.measure("weat", us.load(), us.concept("seat").test("6"))


def test_one_text_in_two_sets_counts_in_both() -> None:
    """A table keyed by text would lose one of them (and unequal sets are no error)."""
    toy = parse_concept(TOY.replace('b = ["b1", "b2"]', 'b = ["a1", "b2", "b1"]'), "toy.toml")
    found = us.measure("weat", us.space(random_vectors, name="pages"), toy.test("one"))
    assert [len(words) for words in found.effective_words] == [3, 3, 2, 3]


def test_the_spread_is_that_of_the_targets_and_not_of_all_cosines() -> None:
    toy = parse_concept(TOY, "toy.toml").test("one")
    pages = us.space(random_vectors, name="pages")
    rows = {
        name: unit(random_vectors([t for s in item.sentences for t in s]))
        for name, item in (*toy.targets.items(), *toy.attributes.items())
    }
    targets = np.concatenate([rows["x"], rows["y"]])
    contrast = targets @ rows["a"].T - targets @ rows["b"].T
    wrong = (contrast[:9].mean() - contrast[9:].mean()) / contrast.std()
    found = us.measure("weat(each=sentence)", pages, toy)
    assert found.value is not None
    assert abs(found.value - wrong) > 0.05


def test_texts_are_read_with_their_special_pieces_and_capitals() -> None:
    """Without [CLS] and [SEP], or with a cased model's text in small letters, results are wrong."""
    model = real_model("minilm")
    [pieces] = model.tokens.of(["This is Amy."])
    vocabulary = model.tokens.vocabulary
    assert pieces.ids[0] == vocabulary["[CLS]"]
    assert pieces.ids[-1] == vocabulary["[SEP]"]
    asked: list[str] = []

    def encode(texts: list[str]) -> Array:
        asked.extend(texts)
        return random_vectors(texts)

    us.measure("weat", us.space(encode, name="pages"), us.concept("seat").test("6"))
    assert "This is Amy." in asked


def test_a_tokenizer_that_knows_capitals_gets_them() -> None:
    pytest.importorskip("tokenizers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    from unslant.models.language.tokens import Tokens

    words = Tokenizer(models.WordLevel({"[UNK]": 0, "Amy": 1, "amy": 2}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokens = Tokens(words, name="cased", most=9, pieces=3)
    assert [item.ids for item in tokens.of(["Amy", "amy"])] == [(1,), (2,)]


def contrast(w: Array, a: Array, b: Array) -> Array:
    return np.asarray((unit(w) @ unit(a).T).mean(1) - (unit(w) @ unit(b).T).mean(1))


def test_seat_on_the_released_files_equals_a_second_implementation() -> None:
    model, folder = real_model("minilm"), data_folder("seat")
    texts_of = {}
    for name in TESTS:
        table = json.loads((folder / f"sent-weat{name}.jsonl").read_text())
        texts_of[name] = [table[key]["examples"] for key in ("targ1", "targ2", "attr1", "attr2")]
    texts = list(dict.fromkeys(t for sets in texts_of.values() for s in sets for t in s))
    for space in spaces_at(model, ["layer:-1[cls]", "layer:-1[all]"]):
        row_of = dict(zip(texts, space.rows(texts).astype(np.float64), strict=True))
        for name in TESTS:
            test = seat_test(folder / f"sent-weat{name}.jsonl")
            found = us.measure("weat(each=sentence, resamples=999)", space, test)
            x, y, a, b = (np.stack([row_of[t] for t in part]) for part in texts_of[name])
            sx, sy = contrast(x, a, b), contrast(y, a, b)
            d = (sx.mean() - sy.mean()) / np.concatenate([sx, sy]).std(ddof=1)
            assert found.value == pytest.approx(d, abs=1e-6), name
            lists = [*test.targets.values(), *test.attributes.values()]
            parts = [[np.stack([row_of[t] for t in s]) for s in item.sentences] for item in lists]
            by_word = us.measure("weat", space, test)
            assert by_word.value is not None
            assert by_word.value == pytest.approx(effect_of_words(parts)[0], abs=1e-6), name
            assert by_word.interval is not None
            assert by_word.interval.low <= by_word.value <= by_word.interval.high
            assert by_word.p is not None
            assert found.p is not None
