"""The fast part of the safety net: commands on the built-in vectors give what is stored.

``make golden`` replays all of it, with the public benchmarks and the three real models.
"""

import json
import os
import subprocess
import sys

import pytest
from scripts.command_pages import ROOT
from scripts.golden import differences
from scripts.golden_commands import MODELS, VECTORS

FAST = [step.name for step in VECTORS if step.is_fast]


@pytest.fixture(scope="module")
def results() -> dict[str, str]:
    """Each result of the fast part, from a process of its own: commands change the environment."""
    code = (
        "import json; from scripts.golden import results;"
        "print(json.dumps(results('vectors', only_fast=True)))"
    )
    threads = {"UNSLANT_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | threads,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return dict(json.loads(run.stdout))


@pytest.mark.parametrize("name", FAST)
def test_a_command_gives_what_is_stored(name: str, results: dict[str, str]) -> None:
    assert not list(differences(name, results[name]))


def test_the_net_is_as_wide_as_promised() -> None:
    steps = [*VECTORS, *MODELS]
    assert len({step.name for step in steps}) == len(steps) >= 45
    assert sum(step.line.startswith("unslant study run") for step in steps) >= 6
    assert sum(len(step.keeps) for step in steps) >= 12


def test_a_changed_number_is_found_and_a_last_digit_is_not() -> None:
    stored = (ROOT / "tests" / "golden" / "net" / "measure-direct-bias.txt").read_text("utf-8")
    value = json.loads(stored.partition("\n")[2])["value"]
    other = stored.replace(str(value), f"{value * (1 + 1e-6):.9g}")
    assert other != stored
    assert not list(differences("measure-direct-bias", other))
    other = stored.replace(str(value), f"{value * 1.0001:.9g}")
    assert list(differences("measure-direct-bias", other))
    assert list(differences("measure-direct-bias", other, only_values=True))


def test_wording_is_left_out_where_only_values_are_compared() -> None:
    stored = (ROOT / "tests" / "golden" / "net" / "swap.txt").read_text("utf-8")
    reworded = stored + "Another sentence.\n"
    assert list(differences("swap", reworded))
    assert not list(differences("swap", reworded, only_values=True))
