"""The doctor reads on after a problem and lists them all, each once."""

import gzip
from pathlib import Path

import pytest

from unslant.vectors import load
from unslant.vectors.load import MOST_LISTED, diagnose
from unslant.vectors.save import save

GOOD = [f"w{number} {number}.5 -0.25" for number in range(20)]


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["a.safetensors", "a.npz", "a.bin", "a.vec", "a.txt", "a.txt.gz"])
def test_a_sound_file_of_any_format_has_no_problem(tmp_path: Path, name: str) -> None:
    found = diagnose(save(load(limit=100), tmp_path / name))
    assert found.is_sound
    assert found.problems == ()
    assert (found.facts["words"], found.facts["dim"]) == (100, 100)
    assert len(found.facts["sha256"]) == 64


def test_every_problem_is_listed_with_its_line(tmp_path: Path) -> None:
    lines = GOOD.copy()
    lines[2] = "w2 0.5"
    lines[5] = "w5 nan 0.5"
    lines[7] = "w7 0.5 x"
    lines[11] = ""
    lines[13] = "w0 9.5 9.5"
    lines[17] = "w17 0.5 1e39"
    found = diagnose(written(tmp_path / "a.txt", lines))
    assert [problem.line for problem in found.problems] == [3, 6, 8, 12, 14, 18]
    assert found.counts == {
        "width": 2, "not finite": 1, "number": 1, "duplicate": 1, "overflow": 1
    }  # fmt: skip
    assert not found.is_sound
    assert all(problem.remedy for problem in found.problems)


def test_a_bad_line_is_not_also_taken_for_a_missing_one(tmp_path: Path) -> None:
    lines = ["20 2", *GOOD]
    lines[4] = "w3 nan 0.5"
    found = diagnose(written(tmp_path / "a.vec", lines))
    assert found.counts == {"not finite": 1}


def test_a_line_that_is_missing_is_told_beside_bad_ones(tmp_path: Path) -> None:
    lines = ["20 2", *GOOD[:-1]]
    lines[4] = "w3 nan 0.5"
    found = diagnose(written(tmp_path / "a.vec", lines))
    assert found.counts == {"not finite": 1, "count": 1}


def test_what_cannot_be_read_at_all_is_one_problem(tmp_path: Path) -> None:
    for name, content in {"a.txt": b"prose\nprose\n", "b.bin": b"\x80\x04K\x01.", "c": b""}.items():
        (tmp_path / name).write_bytes(content)
        found = diagnose(tmp_path / name)
        assert found.counts == {"unreadable": 1}
        assert found.problems[0].what
    assert "There is no file" in diagnose(tmp_path / "none").problems[0].what


def test_a_packed_file_that_is_cut_is_one_problem(tmp_path: Path) -> None:
    packed = gzip.compress(("\n".join(GOOD) + "\n").encode())
    (tmp_path / "a.gz").write_bytes(packed[:-10])
    found = diagnose(tmp_path / "a.gz")
    assert found.counts == {"unreadable": 1}
    assert "cannot be decompressed completely" in found.problems[0].what


def test_a_thousand_problems_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    lines = [*(f"g{n} 0.5 0.5" for n in range(3000)), *(f"b{n} 0.5 x" for n in range(1500))]
    found = diagnose(written(tmp_path / "a.txt", lines))
    assert len(found.problems) == MOST_LISTED == 1000
    assert found.counts == {"number": 1500}


def test_zero_vectors_and_oddities_are_facts_not_problems(tmp_path: Path) -> None:
    found = diagnose(written(tmp_path / "a.txt", [*GOOD, "New York 0.0 0.0", GOOD[0]]))
    assert found.is_sound
    assert found.facts["zero_vectors"] == 1
    assert found.facts["words_with_spaces"] == 1
    assert found.facts["repeated_words"] == 1


def test_an_altered_file_of_our_own_is_a_problem(tmp_path: Path) -> None:
    path = save(load(limit=10), tmp_path / "a.safetensors")
    content = bytearray(path.read_bytes())
    content[66_000] ^= 4
    path.write_bytes(content)
    assert "does not match the hash" in diagnose(path).problems[0].what


def test_the_doctor_writes_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", GOOD)
    diagnose(path)
    assert [item.name for item in tmp_path.iterdir()] == ["a.txt"]
