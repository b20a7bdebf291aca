"""A study has the same bytes whatever the hash seed, the order, the workers and the threads."""

import json
from pathlib import Path

import pytest

from tests.command_line import unslant
from tests.tallies import Tally

PLAN = """
name = "same"
[resources]
slice = "builtin"
[methods]
original = ""
hard = "hard"
inlp = "inlp(rounds=2, n=200)"
[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
DB = "direct-bias(neutral=occupations)"
recoverability = "recoverability(n=200)"
[[matrix]]
concept = "gender"
"""
RUNS = (
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "1"},
    {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
    {"workers": "2"},
    {"reversed": "1"},
)


@pytest.mark.full
def test_five_runs_of_a_study_have_the_same_bytes(
    tmp_path: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for number, how in enumerate(RUNS):
        with monkeypatch.context() as patch:
            for name, value in how.items():
                if name.isupper():
                    patch.setenv(name, value)
            patch.setenv("UNSLANT_CACHE", str(tmp_path / f"cache-{number}"))
            text = PLAN
            if "reversed" in how:
                head, tail = text.split("[methods]\n")
                methods, rest = tail.split("[measures]\n")
                lines = methods.strip().split("\n")[::-1]
                text = f"{head}[methods]\n" + "\n".join(lines) + f"\n[measures]\n{rest}"
            (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
            workers = ("--workers", how["workers"]) if "workers" in how else ()
            unslant("study", "run", "plan.toml", "-o", f"out-{number}", *workers, cwd=tmp_path)
        cells = sorted((tmp_path / f"out-{number}" / "cells").rglob("*.json"))
        found.append({path.name: path.read_bytes().split(b"\n")[0] for path in cells})
    assert len(found[0]) == 9
    for other in found[1:]:
        assert other == found[0]
    assert all(json.loads(line) for line in found[0].values())
    tally(len(RUNS) * len(found[0]))
