"""No test can hang: each has a time limit, and a test that does not heed it is ended."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import FULL_SECONDS

ROOT = Path(__file__).parents[2]
FAILED, ENDED = 1, 1
LONGEST_USUAL = 900
LIMIT = 1.5

WAITS = """
import time

def test_that_waits():
    time.sleep(100)

def test_after_it():
    pass
"""
WAITS_WHILE_CLEARING_UP = """
import subprocess, sys

def test_that_waits():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"]) as process:
        process.wait()
"""
WAITS_IN_A_TEARDOWN_AFTER_A_FAILURE = """
import time, pytest

@pytest.fixture
def slow_to_go():
    yield
    time.sleep(100)

def test_that_waits(slow_to_go):
    assert False
"""
DOES_NOT_RETURN_FROM_COMPILED_CODE = """
def test_that_waits():
    sum(range(10**12))
"""
SWALLOWS_EVERY_EXCEPTION = """
import time

def test_that_waits():
    while True:
        try:
            time.sleep(100)
        except BaseException:
            pass
"""


def ran(folder: Path, code: str) -> tuple[int, str, float]:
    """The exit status, the output and the seconds of a pytest run with our settings."""
    (folder / "test_waiting.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    command += ["-c", str(ROOT / "pyproject.toml"), "--timeout", str(LIMIT), str(folder)]
    begun = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr, time.monotonic() - begun


def test_a_test_that_waits_fails_at_its_limit_and_the_next_one_runs(tmp_path: Path) -> None:
    code, said, _ = ran(tmp_path, WAITS)
    assert code == FAILED
    assert f"Timeout (>{LIMIT}s)" in said
    assert "1 failed, 1 passed" in said


@pytest.mark.parametrize(
    "source",
    [
        WAITS_WHILE_CLEARING_UP,
        WAITS_IN_A_TEARDOWN_AFTER_A_FAILURE,
        DOES_NOT_RETURN_FROM_COMPILED_CODE,
        SWALLOWS_EVERY_EXCEPTION,
    ],
)
def test_a_test_that_goes_on_after_its_limit_is_ended_with_the_process(
    tmp_path: Path, source: str
) -> None:
    code, said, seconds = ran(tmp_path, source)
    assert code == ENDED
    assert "test_waiting.py" in said, "the place is shown"
    assert "Timeout (0:00:03)!" in said
    assert seconds < 18


def test_every_test_has_a_limit(request: pytest.FixtureRequest) -> None:
    usual = float(request.config.getini("timeout"))
    assert 0 < usual <= LONGEST_USUAL
    for item in request.session.items:
        marker = item.get_closest_marker("timeout")
        limit = usual if marker is None else float(marker.args[0])
        most = FULL_SECONDS if item.get_closest_marker("full") else LONGEST_USUAL
        assert 0 < limit <= most, item.nodeid
