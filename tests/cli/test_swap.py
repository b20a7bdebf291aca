"""``unslant files swap``: texts, files, statuses, and what is refused."""

from pathlib import Path

from tests.command_line import json_of, unslant


def test_a_text_is_swapped_and_doubts_go_to_standard_error(tmp_path: Path) -> None:
    done = unslant("files", "swap", "She lost her keys.", cwd=tmp_path)
    assert done.stdout == "He lost his keys.\n"
    assert done.stderr == ""
    doubtful = unslant("files", "swap", "They gave her flowers, Jordan.", cwd=tmp_path)
    assert "Ambiguous: her → him (its role in the sentence is not clear)." in doubtful.stderr
    assert "Untouched: Jordan" in doubtful.stderr


def test_a_swap_of_nothing_says_so(tmp_path: Path) -> None:
    assert "Nothing was swapped" in unslant("files", "swap", "A table.", cwd=tmp_path).stderr


def test_lines_of_a_file_are_swapped_or_only_the_certain_ones(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("He left.\nA table.\nI watched her dance.\n")
    done = unslant("files", "swap", "--file", "texts.txt", cwd=tmp_path)
    assert done.stdout.splitlines()[:2] == ["She left.", "A table."]
    assert "3 lines: 1 swapped with certainty, 1 with an ambiguous word, 1 unch" in done.stderr
    sure = unslant("files", "swap", "--file", "texts.txt", "--certain", cwd=tmp_path)
    assert sure.stdout == "She left.\n"


def test_json_has_every_word_with_its_status(tmp_path: Path) -> None:
    found = json_of("files", "swap", "Emily left.", "-c", "race", "--json", cwd=tmp_path)
    assert found["concept"] == "race"
    [text] = found["texts"]
    assert text["count"] == 1
    assert text["words"][0] | {"new": ""} == {
        "start": 0,
        "end": 5,
        "old": "Emily",
        "new": "",
        "status": "certain",
        "reason": "",
    }
    assert json_of("files", "swap", "Emily left.", "--no-names", "--json", cwd=tmp_path)["texts"][
        0
    ] == {
        "text": "Emily left.",
        "certain": True,
        "count": 0,
        "words": [],
    }


def test_mistakes_are_named(tmp_path: Path) -> None:
    assert "Give a text" in unslant("files", "swap", cwd=tmp_path, code=2).stderr
    assert "has 3" in unslant("files", "swap", "x", "-c", "religion", cwd=tmp_path, code=2).stderr
    assert (
        "Cannot read no.txt"
        in unslant("files", "swap", "--file", "no.txt", cwd=tmp_path, code=2).stderr
    )
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in unslant("files", "swap", "--file", "bad.txt", cwd=tmp_path, code=2).stderr
