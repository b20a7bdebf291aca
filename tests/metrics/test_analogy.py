"""Analogies: a slow second implementation, gensim, the layouts of files, and real vectors."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.spaces import space
from unslant.core.errors import FileFormatError, UnknownNameError
from unslant.core.measurement import Measurement
from unslant.datasets.benchmarks import AnalogyQuestion, read_questions
from unslant.measures.running import measure
from unslant.numerics import neighbours
from unslant.numerics.neighbours import best_fourth_words
from unslant.vectors import WordVectors

METHODS = ["3cosadd", "3cosmul"]


def slow_answer(matrix: np.ndarray, question: list[int], method: str, same: list[int]) -> int:
    """Word by word in double precision, straight from the definition."""

    def cos(d: int, w: int) -> float:
        u, v = matrix[d].astype(float), matrix[w].astype(float)
        return float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))

    scores = {}
    for d in range(len(matrix)):
        if same[d] in [same[w] for w in question] or not matrix[d].any():
            continue
        a, b, c = (cos(d, w) for w in question)
        if method == "3cosadd":
            scores[d] = b - a + c
        else:
            scores[d] = (1 + b) / 2 * (1 + c) / 2 / ((1 + a) / 2 + 0.001)
    return max(scores, key=lambda d: scores[d])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(METHODS))
def test_the_answers_are_those_of_the_definition_written_out(seed: int, method: str) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(25, 6)).astype(np.float32)
    matrix[7] = 0
    same = np.arange(25)
    same[[20, 21]] = 3, 5  # two spellings of words that stand earlier
    rows = rng.choice(np.setdiff1d(np.arange(20), [7]), size=(40, 3))
    found = best_fourth_words(matrix, rows, same, method)
    wanted = [slow_answer(matrix, row.tolist(), method, same.tolist()) for row in rows]
    assert found.tolist() == wanted
    assert not np.isin(same[found], [7]).any()
    assert not (same[found][:, None] == same[rows]).any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("block", [1, 7, 64])
def test_the_size_of_blocks_changes_nothing(
    method: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(64, 8)).astype(np.float32)
    rows = rng.integers(0, 64, size=(150, 3))
    whole = best_fourth_words(matrix, rows, np.arange(64), method)
    monkeypatch.setattr(neighbours, "_BLOCK_WORDS", block)
    seen: list[tuple[int, int]] = []
    parts = best_fourth_words(
        matrix, rows, np.arange(64), method, lambda done, total: seen.append((done, total))
    )
    assert parts.tolist() == whole.tolist()
    assert seen[-1] == (64, 64)


def questions_file(folder: Path, text: str, name: str = "questions.txt") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return f'analogy("{folder / name}"'


GRID = """: royal
man king woman queen
man woman king queen
: gram1-plural
cat cats dog dogs
cat cats dog nowhere
"""


def grid() -> WordVectors:
    royal = {
        "man": [1, 0, 0, 0],
        "king": [1, 1, 0, 0],
        "woman": [1, 0, 1, 0],
        "queen": [1, 1, 1, 0],
    }
    return WordVectors.of(royal | {"cat": [0, 0, 0, 1], "cats": [0, 1, 0, 9], "dog": [0, 0, 1, 9]})


@pytest.mark.parametrize("method", METHODS)
def test_a_parallelogram_is_solved_and_missing_words_are_counted(
    method: str, tmp_path: Path
) -> None:
    result = measure(f"{questions_file(tmp_path, GRID)}, method={method})", grid())
    assert result.value == 1.0
    assert result.details["questions-answered"] == 2
    assert result.details["questions-skipped"] == 2
    assert result.words[0].missing == ("dogs", "nowhere")
    royal, plural = result.points
    assert royal == {
        "section": "royal", "right": 2, "answered": 2, "questions": 2, "accuracy": 1.0
    }  # fmt: skip
    assert "accuracy" not in plural
    assert result.details["section-gram1-plural"] is None


def test_meaning_and_grammar_are_told_apart_where_sections_do(tmp_path: Path) -> None:
    text = GRID.replace("dog dogs", "dog queen")
    result = measure(f"{questions_file(tmp_path, text)})", grid())
    assert result.details["semantic"] == 1
    assert result.details["syntactic"] in (0, 1)
    assert Measurement.from_dict(result.to_dict()).details == result.details


def test_turning_the_space_and_the_lengths_change_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    words = [f"w{n}" for n in range(30)]
    matrix = rng.normal(size=(30, 6))
    text = ": all\n" + "\n".join(" ".join(rng.choice(words, 4, replace=False)) for _ in range(200))
    turn, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    moved = matrix @ turn * rng.uniform(0.1, 10, size=(30, 1))
    call = f"{questions_file(tmp_path, text)})"
    one, other = measure(call, space(words, matrix)), measure(call, space(words, moved))
    assert one.value == pytest.approx(other.value, abs=0.011)
    assert one.interval is not None
    assert one.interval.low <= one.value <= one.interval.high  # type: ignore[operator]
    assert measure(call, space(words, matrix)) == one


def test_another_spelling_of_the_answer_is_right_and_of_the_question_no_answer(
    tmp_path: Path,
) -> None:
    vectors = WordVectors.of(
        {
            "man": [1, 0, 0],
            "KING": [1, 1, 0.2],
            "king": [1, 1, 0],
            "woman": [1, 0, 1],
            "Queen": [1, 1, 0.9],
            "queen": [1, 1, 1],
        }
    )
    call = questions_file(tmp_path, ": royal\nMan King Woman Queen\n")
    assert measure(f"{call})", vectors).value == 1.0
    strict = questions_file(tmp_path, ": royal\nman king woman Queen\n")
    assert measure(f"{strict}, case=exact)", vectors).value == 0.0


def test_all_layouts_give_the_same_questions(tmp_path: Path) -> None:
    text, table = tmp_path / "q.txt", tmp_path / "q.csv"
    text.write_text(": JJ_JJR\ngood better rough rougher\n: NN_NNS\ncity cities bank banks\n")
    table.write_text(
        ",type,word1,word2,word3,target\n0,JJ_JJR,good,better,rough,rougher\n"
        "1,NN_NNS,city,cities,bank,banks\n"
    )
    (tmp_path / "q.questions").write_text("good better rough\ncity cities bank\n")
    (tmp_path / "q.answers").write_text("JJ_JJR rougher\nNN_NNS banks\n")
    wanted = [
        AnalogyQuestion("JJ_JJR", "good", "better", "rough", "rougher"),
        AnalogyQuestion("NN_NNS", "city", "cities", "bank", "banks"),
    ]
    for path in (text, table, tmp_path / "q.questions"):
        assert read_questions(path) == wanted


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("q.txt", "a b c d\n", "line 1: expected four words after"),
        ("q.txt", ": x\na b c\n", "line 2: expected four words"),
        ("q.txt", ": x\n", "contains nothing"),
        ("q.csv", "type,word1\nx,y\n", "line 2: expected a word in each of the columns type"),
        ("q.questions", "a b c\n", "needs its answers"),
    ],
)
def test_a_file_that_is_no_benchmark_is_told(
    name: str, text: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FileFormatError, match=told):
        read_questions(tmp_path / name)


def test_answers_that_do_not_fit_the_questions_are_told(tmp_path: Path) -> None:
    (tmp_path / "q.questions").write_text("a b c\nd e f\n")
    (tmp_path / "q.answers").write_text("x y\n")
    with pytest.raises(FileFormatError, match=r"2 questions and q\.answers 1 answers"):
        read_questions(tmp_path / "q.questions")
    (tmp_path / "q.answers").write_text("x y\nz\n")
    with pytest.raises(FileFormatError, match="question 2: expected three words"):
        read_questions(tmp_path / "q.questions")


def test_unknown_names_are_told() -> None:
    with pytest.raises(UnknownNameError, match="Available: google, msr"):
        measure("analogy(bats)", grid())


def test_no_question_with_all_words_has_no_value(tmp_path: Path) -> None:
    result = measure(f"{questions_file(tmp_path, ': x' + chr(10) + 'q r s t')})", grid())
    assert result.value is None
    assert "no question" in result.why_undefined


def test_the_released_files_have_the_known_numbers_of_questions(data: Path) -> None:
    google = read_questions(data / "benchmarks/questions-words.txt")
    msr = read_questions(data / "benchmarks/msr.csv")
    assert (len(google), len({q.section for q in google})) == (19_544, 14)
    assert (len(msr), len({q.section for q in msr})) == (8_000, 16)


@pytest.fixture(scope="module")
def every_fortieth(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = (data / "benchmarks/questions-words.txt").read_text().splitlines()
    chosen = [line for n, line in enumerate(lines) if line.startswith(":") or n % 40 == 0]
    path = tmp_path_factory.mktemp("analogy") / "few.txt"
    path.write_text("\n".join(chosen) + "\n")
    return path


def test_it_equals_gensim_section_by_section(glove: WordVectors, every_fortieth: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors(glove.dim)
    # Some words have a second spelling nearby, so that the treatment of case is compared as well.
    few, again = list(glove.words)[:7000], np.arange(0, 7000, 3)
    noise = np.random.default_rng(0).normal(size=(len(again), glove.dim)).astype(np.float32)
    words = [*few, *(few[row].title() if few[row].islower() else f"#{row}" for row in again)]
    matrix = np.concatenate([glove.matrix[:7000], glove.matrix[again] + noise / 5])
    keyed.add_vectors(words, matrix)
    restrict = 9000
    score, sections = keyed.evaluate_word_analogies(str(every_fortieth), restrict_vocab=restrict)
    result = measure(f'analogy("{every_fortieth}", restrict={restrict})', space(words, matrix))
    assert result.value == pytest.approx(score)
    theirs = {s["section"]: (len(s["correct"]), len(s["incorrect"])) for s in sections[:-1]}
    for ours in result.points:
        right, wrong = ours["right"], ours["answered"] - ours["right"]  # type: ignore[operator]
        assert (right, wrong) == theirs[str(ours["section"])]


@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")
def test_the_product_equals_gensims(glove: WordVectors, every_fortieth: Path) -> None:
    keyed = pytest.importorskip("gensim.models").KeyedVectors(glove.dim)
    few = glove.head(6000)
    keyed.add_vectors(list(few.words), np.array(few.matrix))
    right = answered = 0
    for q in read_questions(every_fortieth):
        a, b, c, d = (word.lower() for word in (q.a, q.b, q.c, q.d))
        if all(word in keyed for word in (a, b, c, d)):
            [(best, _)] = keyed.most_similar_cosmul(positive=[b, c], negative=[a], topn=1)
            right, answered = right + (best == d), answered + 1
    result = measure(f'analogy("{every_fortieth}", method=3cosmul)', few)
    assert answered > 50
    assert result.details["questions-answered"] == answered
    assert result.value == pytest.approx(right / answered)


@pytest.mark.parametrize("dataset", ["google", "msr"])
def test_the_builtin_vectors_solve_analogies(dataset: str, glove: WordVectors, data: Path) -> None:
    result = measure(f"analogy({dataset}, restrict=5000)", glove)
    assert result.value is not None
    assert result.value > 0.4


def test_google_on_all_of_glove_is_6349(full_glove: WordVectors, data: Path) -> None:
    result = measure("analogy", full_glove)
    assert result.details["questions-answered"] == 19_486
    assert result.value == pytest.approx(0.6349, abs=0.0001)
