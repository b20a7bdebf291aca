"""How the house is kept: files that one can read at once."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "tests", "attacks", "benchmarks", "experiments", "scripts")
MOST_LINES = 400


def test_no_file_of_code_is_longer_than_four_hundred_lines() -> None:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    assert len(files) > 1_000
    lengths = {str(path.relative_to(ROOT)): path.read_bytes().count(b"\n") for path in files}
    assert {name: count for name, count in lengths.items() if count > MOST_LINES} == {}
