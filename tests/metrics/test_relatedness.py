"""Relatedness of sentences: by hand, against scipy, against sentence-transformers on SICK."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

import unslant as us
from tests.real_models import real_model
from unslant.core.errors import FileFormatError, UnknownNameError, UnslantError
from unslant.core.measurement import Measurement
from unslant.datasets.registry import MissingDatasetError, locate
from unslant.measures.change import change_of
from unslant.metrics.relatedness import read_rated_sentences
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import jobs_of
from unslant.vectors import SentenceSpace

HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
SENTENCES = [f"sentence {number}" for number in range(40)]


def table(folder: Path, rows: list[tuple[str, str, float]], name: str = "pairs.txt") -> Path:
    lines = [f"{n}\t{a}\t{b}\t{score}\tNEUTRAL" for n, (a, b, score) in enumerate(rows)]
    path = folder / name
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path


def random_rows(seed: int, count: int = 30) -> list[tuple[str, str, float]]:
    rng = np.random.default_rng(seed)
    places, scores = rng.integers(0, len(SENTENCES), (count, 2)), rng.integers(1, 50, count) / 10
    return [
        (SENTENCES[a], SENTENCES[b], float(s)) for (a, b), s in zip(places, scores, strict=True)
    ]


def encoder(seed: int, asked: list[str] | None = None) -> SentenceSpace:
    rows = dict(
        zip(SENTENCES, np.random.default_rng(seed).normal(size=(len(SENTENCES), 6)), strict=True)
    )

    def encode(texts: list[str]) -> list[np.ndarray]:
        if asked is not None:
            asked.extend(texts)
        return [rows[text] for text in texts]

    return us.space(encode, name=f"made {seed}")


def measured(path: Path, space: SentenceSpace) -> Measurement:
    return us.measure(f'relatedness("{path}")', space)


def test_it_is_one_where_cosines_are_in_the_order_of_the_scores(tmp_path: Path) -> None:
    angles = {"a": 0.0, "b": 0.1, "c": 0.5, "d": 1.2}

    def encode(texts: list[str]) -> list[list[float]]:
        return [[np.cos(angles[text]), np.sin(angles[text])] for text in texts]

    rows = [("a", "b", 5.0), ("a", "c", 3.0), ("a", "d", 1.0), ("a", "a", 5.5)]
    space = us.space(encode, name="angles")
    assert measured(table(tmp_path, rows), space).value == pytest.approx(1)
    other_way = [(first, second, -score) for first, second, score in rows]
    assert measured(table(tmp_path, other_way), space).value == pytest.approx(-1)


@pytest.mark.parametrize("seed", range(4))
def test_it_equals_scipy_on_cosines_written_out(seed: int, tmp_path: Path) -> None:
    rows, space = random_rows(seed), encoder(seed)
    cosines = []
    for first, second, _ in rows:
        u, v = (space.rows([text])[0].astype(float) for text in (first, second))
        cosines.append(round(float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v))), 12))
    result = measured(table(tmp_path, rows), space)
    expected = spearmanr([score for *_, score in rows], cosines).statistic
    assert result.value == pytest.approx(expected, abs=1e-9)
    assert result.value is not None
    assert result.interval is not None
    assert result.interval.low < result.value < result.interval.high
    assert measured(table(tmp_path, rows), space) == result


def test_each_distinct_sentence_is_encoded_once(tmp_path: Path) -> None:
    asked: list[str] = []
    rows = random_rows(1) * 3
    result = measured(table(tmp_path, rows), encoder(1, asked))
    assert len(asked) == len(set(asked)) == result.details["sentences"]
    assert result.details["pairs"] == len(rows)


def test_a_change_has_an_interval_because_both_are_drawn_alike(tmp_path: Path) -> None:
    path = table(tmp_path, random_rows(2))
    before, now = measured(path, encoder(2)), measured(path, encoder(3))
    change = change_of(now, before)
    assert change.interval is not None
    same = change_of(measured(path, encoder(2)), before)
    assert same.interval is not None
    assert (same.difference, same.interval.low, same.interval.high) == (0, 0, 0)
    elsewhere = measured(table(tmp_path, random_rows(9), "other.txt"), encoder(3))
    assert change_of(elsewhere, before).interval is None


def test_equal_scores_have_no_correlation(tmp_path: Path) -> None:
    rows = [(first, second, 3.0) for first, second, _ in random_rows(0)]
    result = measured(table(tmp_path, rows), encoder(0))
    assert result.value is None
    assert "the same score" in result.why_undefined


def test_word_vectors_have_no_sentences() -> None:
    with pytest.raises(UnslantError, match="relatedness needs vectors of sentences"):
        us.measure("relatedness", us.load(limit=100))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\tb\n1\t2\n", "not a table of rated sentences. Expected tab-separated columns"),
        (f"{HEADER}\n1\tone\ttwo\tmany\tNEUTRAL\n", "line 2: expected two sentences and a number"),
        (f"{HEADER}\n1\tone\t\t3.5\tNEUTRAL\n", "line 2: expected two sentences"),
        (f"{HEADER}\n1\tone\ttwo\tnan\tNEUTRAL\n", "line 2: expected two sentences and a number"),
        (f"{HEADER}\n1\tone\n", "line 2: expected two sentences and a number"),
        (f"{HEADER}\n", "contains nothing to evaluate"),
    ],
)
def test_a_file_in_another_layout_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match=said):
        read_rated_sentences(path)


def test_an_unknown_dataset_is_named() -> None:
    with pytest.raises(UnknownNameError, match="sick-trial"):
        us.measure("relatedness(dataset=sick-tial)", encoder(0))


def test_an_audit_of_sentence_vectors_says_that_the_data_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_DATA", str(tmp_path))
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path))
    with pytest.raises(MissingDatasetError, match="relatedness/sick-train"):
        us.measure("relatedness", encoder(0))

    def encode(texts: list[str]) -> np.ndarray:
        return np.array([[len(text), text.count("e"), text.count("a") + 1] for text in texts])

    record = audit(us.space(encode, name="letters"), "gender").record
    assert any("relatedness(dataset=sick-trial)" in item.what for item in record.left_out)
    gender = us.concept("gender")
    assert "relatedness" in {call.name for call, _ in jobs_of(gender, of_texts=True)}
    assert "relatedness" not in {call.name for call, _ in jobs_of(gender)}


def sick(folder: Path, count: int) -> Path:
    """The first pairs of SICK."""
    found = locate("relatedness/sick-trial")
    if found is None:
        pytest.skip("SICK is not here: set UNSLANT_DATA")
    path = folder / "sick.txt"
    with found.open(encoding="utf-8") as stream:
        path.write_text("".join(islice(stream, count + 1)), encoding="utf-8")
    return path


def test_both_files_of_sick_are_read_whole() -> None:
    for name, count in (("sick-train", 4_500), ("sick-trial", 500)):
        found = locate(f"relatedness/{name}")
        if found is None:
            pytest.skip("SICK is not here: set UNSLANT_DATA")
        pairs = read_rated_sentences(found)
        assert len(pairs) == count
        assert {1 <= pair.score <= 5 for pair in pairs} == {True}


def test_minilm_on_sick_equals_the_sentence_transformers_package(tmp_path: Path) -> None:
    folder = real_model("minilm")
    package = pytest.importorskip("sentence_transformers")
    path = sick(tmp_path, 200)
    pairs = read_rated_sentences(path)
    encode = package.SentenceTransformer(str(folder), device="cpu").encode
    first, second = (
        encode([getattr(pair, side) for pair in pairs], normalize_embeddings=True)
        for side in ("first", "second")
    )
    expected = spearmanr([pair.score for pair in pairs], (first * second).sum(axis=1)).statistic
    result = us.measure(f'relatedness("{path}")', us.load(folder))
    assert result.value == pytest.approx(expected, abs=1e-4)
    assert result.value is not None
    assert result.value > 0.7
    assert result.inputs["vectors"] == "minilm@sentence"


def test_an_intervention_at_the_sentence_vectors_changes_it_and_an_empty_one_does_not(
    tmp_path: Path,
) -> None:
    from tests.models.language.with_heads import without_direction, without_nothing

    model = us.load(real_model("minilm"))
    path = sick(tmp_path, 40)
    expression = f'relatedness("{path}")'
    before = us.measure(expression, model)
    assert us.measure(expression, without_nothing(model, "sentence")).value == before.value
    now = us.measure(expression, without_direction(model, "layer:-1"))
    assert now.value != before.value
    assert change_of(now, before).interval is not None
