"""An audit that measured nothing is a failure, on the command line too, and leaves no file."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.spaces import space
from unslant.cli.verbs import app
from unslant.concepts import WordPolicy, concept
from unslant.studies.audit import audit
from unslant.studies.audit_jobs import GivenJob
from unslant.studies.checks import NothingMeasuredError
from unslant.vectors import WordVectors, load

GENDER = concept("gender")
SPANISH = [
    "ella",
    "él",
    "mujer",
    "hombre",
    "madre",
    "padre",
    "hija",
    "hijo",
    "enfermera",
    "ingeniero",
    "casa",
    "trabajo",
]


def file_of(vectors: WordVectors, path: Path) -> Path:
    lines = (
        f"{word} {' '.join(map(str, row))}"
        for word, row in zip(vectors.words, vectors.matrix, strict=True)
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def spanish() -> WordVectors:
    return space(SPANISH, np.random.default_rng(0).normal(size=(len(SPANISH), 20)), "spanish")


def shouting() -> WordVectors:
    small = load(limit=3000)
    return space([word.upper() for word in small.words], small.matrix, "shouting")


def test_another_language_is_told_to_write_a_concept() -> None:
    with pytest.raises(NothingMeasuredError, match=r"1 of the .* words of the concept.*not Eng"):
        audit(spanish(), GENDER)


def test_another_case_is_told_the_option_that_finds_the_words() -> None:
    with pytest.raises(NothingMeasuredError, match='case="any"'):
        audit(shouting(), GENDER, quality=False)
    jobs: list[GivenJob] = [("weat(random_lists=0)", GENDER.test("career-family-terms"))]
    policy = WordPolicy(missing="drop", case="any")
    assert audit(shouting(), GENDER, policy, jobs=jobs).measurements


def test_too_few_words_are_told_to_load_more() -> None:
    with pytest.raises(NothingMeasuredError, match="Only 10 words were loaded"):
        audit(load(limit=10), GENDER, quality=False)


def test_quality_alone_is_not_an_audit_of_a_concept(data: Path) -> None:
    small = load(limit=30)
    some = ["car", "automobile", "king", "rook", "gem", "jewel", "journey", "voyage", "boy", "lad"]
    words = [*some, *(f"w{n}" for n in range(20))]
    with pytest.raises(NothingMeasuredError):
        audit(space(words, small.matrix, "benchmark words"), concept("religion"))


@pytest.mark.parametrize("made", [spanish, shouting])
def test_the_command_exits_with_2_and_writes_nothing(
    made: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file_of(made(), tmp_path / "vectors.txt")  # type: ignore[operator]
    result = CliRunner().invoke(
        app, ["audit", "vectors.txt", "--html", "r.html", "--record", "r.json", "--no-quality"]
    )
    assert result.exit_code != 0
    assert not list(tmp_path.glob("r.*"))
    assert not list(tmp_path.glob("unslant-report*"))


def test_a_limit_of_10_does_so_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["audit", "--limit", "10", "--no-quality"])
    assert result.exit_code != 0
    assert not list(tmp_path.iterdir())


def test_a_concept_of_a_name_alone_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('name = "mine"\n')
    result = CliRunner().invoke(app, ["audit", "--limit", "3000", "--concept", "mine.toml"])
    assert result.exit_code != 0
    assert isinstance(result.exception, NothingMeasuredError)
    assert "“mine” has nothing to measure" in str(result.exception)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.toml"]


def test_vectors_in_another_language_leave_the_answer_undecided() -> None:
    record = audit(load(), concept("weathub-de"), quality=False).record
    assert record.conclusion is not None
    assert record.conclusion.level == "undecided"
    [warning] = record.warnings
    for line in (record.conclusion.sentence, warning):
        assert "glove.6B.100d.slice may be in another language" in line
    assert "try --concept weathub-en" in warning
