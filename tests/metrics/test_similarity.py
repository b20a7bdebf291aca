"""Similarity benchmarks: against scipy and gensim, in constructed spaces and on real vectors."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tests.spaces import space
from unslant.core.errors import FileFormatError, UnknownNameError
from unslant.core.measurement import Measurement
from unslant.datasets.benchmarks import read_pairs
from unslant.datasets.registry import MissingDatasetError
from unslant.measures.running import measure
from unslant.metrics.benchmark_words import upper_case
from unslant.numerics.correlation import SpearmanOfSamples
from unslant.vectors import Vocabulary, WordVectors

PAIRS = {"rg-65": 65, "mturk-287": 287, "mturk-771": 771, "men": 3000}
PAIRS |= {"simlex-999": 999, "wordsim-353": 353}
FILES = {"rg-65": "RG-65", "mturk-287": "MTurk-287", "mturk-771": "MTurk-771"}
FILES |= {"men": "MEN-TR-3k", "simlex-999": "SIMLEX-999", "wordsim-353": "WS-353-ALL"}
WORDS = [f"w{number}" for number in range(12)]


def random_space(seed: int) -> WordVectors:
    return space(WORDS, np.random.default_rng(seed).normal(size=(len(WORDS), 5)))


def pairs_file(folder: Path, lines: list[str]) -> str:
    path = folder / "pairs.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f'similarity("{path}")'


def random_pairs(seed: int, count: int = 30) -> list[str]:
    rng = np.random.default_rng(seed)
    places, scores = rng.integers(0, len(WORDS), (count, 2)), rng.integers(0, 10, count)
    return [f"{WORDS[a]}\t{WORDS[b]}\t{s}" for (a, b), s in zip(places, scores, strict=True)]


def slow_similarity(vectors: WordVectors, lines: list[str]) -> float:
    human, cosines = [], []
    for line in lines:
        first, second, score = line.split("\t")
        u, v = vectors[first].astype(float), vectors[second].astype(float)
        human.append(float(score))
        cosines.append(sum(u * v) / (sum(u * u) ** 0.5 * sum(v * v) ** 0.5))
    return float(spearmanr(human, np.round(cosines, 12)).statistic)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 40), st.integers(1, 12))
def test_every_resample_has_the_correlation_that_scipy_finds(
    seed: int, size: int, levels: int
) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, levels + 1, size).astype(float), rng.normal(size=size).round(1)
    drawn = rng.integers(0, size, (6, size))
    for found, row in zip(SpearmanOfSamples(x, y)((drawn,)), drawn, strict=True):
        if len(set(x[row])) == 1 or len(set(y[row])) == 1:
            assert np.isnan(found)
        else:
            assert found == pytest.approx(spearmanr(x[row], y[row]).statistic, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_it_equals_the_definition_written_out(seed: int, tmp_path: Path) -> None:
    lines, vectors = random_pairs(seed), random_space(seed)
    result = measure(pairs_file(tmp_path, lines), vectors)
    assert result.value == pytest.approx(slow_similarity(vectors, lines), abs=1e-9)
    assert result.interval is not None
    assert result.value is not None
    assert result.interval.low < result.value < result.interval.high
    assert measure(pairs_file(tmp_path, lines), vectors) == result


@pytest.mark.parametrize("seed", range(4))
def test_turning_the_space_and_stretching_the_scores_change_nothing(
    seed: int, tmp_path: Path
) -> None:
    rng, vectors, lines = np.random.default_rng(seed), random_space(seed), random_pairs(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    lengths = rng.uniform(0.1, 10, size=(len(WORDS), 1))
    moved = space(WORDS, vectors.matrix.astype(float) @ turn * lengths)
    stretched = [
        f"{a}\t{b}\t{float(s) ** 3 + 1}" for a, b, s in (line.split("\t") for line in lines)
    ]
    one = measure(pairs_file(tmp_path, lines), vectors).value
    assert measure(pairs_file(tmp_path, stretched), moved).value == pytest.approx(one, abs=1e-9)


def test_perfect_agreement_is_one_and_reversed_agreement_minus_one(tmp_path: Path) -> None:
    angles = {f"w{n}": [np.cos(n / 5), np.sin(n / 5)] for n in range(6)}
    vectors = WordVectors.of(angles)
    lines = [f"w0 w{n} {10 - n}" for n in range(1, 6)]
    assert measure(pairs_file(tmp_path, lines), vectors).value == pytest.approx(1)
    lines = [f"w0 w{n} {n}" for n in range(1, 6)]
    assert measure(pairs_file(tmp_path, lines), vectors).value == pytest.approx(-1)


def test_missing_pairs_are_dropped_or_count_as_zero_and_are_listed(tmp_path: Path) -> None:
    lines = [*random_pairs(1), "w1\tnowhere\t9", "nothing\tnowhere\t8"]
    vectors = random_space(1)
    dropped = measure(pairs_file(tmp_path, lines), vectors)
    assert dropped.value == measure(pairs_file(tmp_path, lines[:-2]), vectors).value
    lines_file = pairs_file(tmp_path, lines)
    assert dropped.words[0].missing == ("nowhere", "nothing")
    assert dropped.details["pairs-covered"] == 30
    assert dropped.details["share-covered"] == pytest.approx(30 / 32)
    zeroed = measure(lines_file[:-1] + ", on_missing=zero)", vectors)
    assert len(zeroed.points) == 32
    assert [point["cosine"] for point in zeroed.points[-2:]] == [0, 0]
    assert zeroed.value != dropped.value


def test_only_the_first_words_count_and_case_is_ignored_unless_told(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(6, 4))
    vectors = space(["Sun", "sun", "moon", "star", "sea", "late"], rows)
    lines = ["SUN moon 3", "sun star 2", "Sun sea 1", "sun late 4"]
    call = pairs_file(tmp_path, lines)
    first = measure(call[:-1] + ", restrict=5)", vectors)
    assert first.details["pairs-covered"] == 3
    assert first.words[0].missing == ("late",)
    assert first.words[0].spelt[:2] == ("Sun", "moon")
    cosine = rows[0] @ rows[3] / np.linalg.norm(rows[0]) / np.linalg.norm(rows[3])
    assert first.points[1]["cosine"] == pytest.approx(cosine, abs=1e-6)
    exact = measure(call[:-1] + ", case=exact)", vectors)
    assert exact.words[0].missing == ("SUN",)
    assert measure(call[:-1] + ", restrict=0)", vectors).details["pairs-covered"] == 4


def test_upper_case_is_that_of_every_word_by_itself() -> None:
    words = ["straße", "ﬁn", "ı", "σας", "New York", "naïve", "ŉ", "日本", "a"]
    assert list(upper_case(Vocabulary.of(words))) == [word.upper() for word in words]


def test_a_zero_vector_counts_as_missing_and_is_told(tmp_path: Path) -> None:
    rows = random_space(0).matrix.copy()
    rows[3] = 0
    result = measure(pairs_file(tmp_path, random_pairs(0)), space(WORDS, rows))
    assert result.words[0].missing == ("w3",)
    assert "1 words in" in result.warnings[0]


def test_too_few_pairs_have_no_value(tmp_path: Path) -> None:
    result = measure(pairs_file(tmp_path, ["w0 w1 1", "w1 w2 2"]), random_space(0))
    assert result.value is None
    assert "fewer than three" in result.why_undefined


def test_mistakes_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = random_space(0)
    with pytest.raises(FileFormatError, match=r"line 2: expected two words and a number"):
        measure(pairs_file(tmp_path, ["a b 1", "a b"]), vectors)
    with pytest.raises(FileFormatError, match="contains nothing"):
        measure(pairs_file(tmp_path, ["# only a remark"]), vectors)
    with pytest.raises(UnknownNameError, match='Did you mean "men"'):
        measure("similarity(mem)", vectors)
    monkeypatch.delenv("UNSLANT_DATA", raising=False)
    with pytest.raises(MissingDatasetError, match="unslant files fetch similarity/men"):
        measure("similarity", vectors)


@pytest.mark.parametrize(("dataset", "count"), PAIRS.items())
def test_the_builtin_vectors_agree_with_people(
    dataset: str, count: int, glove: WordVectors, data: Path
) -> None:
    result = measure(f"similarity({dataset})", glove)
    assert result.details["pairs"] == count
    assert result.value is not None
    assert result.value > 0.2
    assert Measurement.from_dict(result.to_dict()).value == result.value


@pytest.mark.parametrize(("dataset", "file"), FILES.items())
def test_it_equals_gensim(dataset: str, file: str, glove: WordVectors, data: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors(glove.dim)
    keyed.add_vectors(list(glove.words), np.array(glove.matrix))
    path = data / f"benchmarks/EN-{file}.txt"
    for on_missing, dummy, restrict in (("drop", False, 300_000), ("zero", True, 6_000)):
        pearson, spearman, missing = keyed.evaluate_word_pairs(
            str(path), dummy4unknown=dummy, restrict_vocab=restrict
        )
        call = f"similarity({dataset}, on_missing={on_missing}, restrict={restrict})"
        result = measure(call, glove)
        assert result.value == pytest.approx(spearman[0], abs=1e-6)
        assert result.details["Pearson-correlation"] == pytest.approx(pearson[0], abs=1e-6)
        assert 100 * (1 - float(result.details["share-covered"])) == pytest.approx(missing)  # type: ignore[arg-type]


def test_men_on_all_of_glove_is_681(full_glove: WordVectors, data: Path) -> None:
    result = measure("similarity(men)", full_glove)
    assert result.value == pytest.approx(0.6809, abs=0.0001)


def test_the_released_files_have_as_many_pairs_as_their_names_say(data: Path) -> None:
    assert len(read_pairs(data / "benchmarks/EN-MTurk-771.txt")) == 771
