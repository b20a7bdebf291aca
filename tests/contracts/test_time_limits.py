"""No test can hang: each has a time limit, and a test that does not heed it is ended."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
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
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(90)"]) as process:
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


SOURCES = {
    "waits": WAITS,
    "waits while clearing up": WAITS_WHILE_CLEARING_UP,
    "waits in a teardown after a failure": WAITS_IN_A_TEARDOWN_AFTER_A_FAILURE,
    "does not return from compiled code": DOES_NOT_RETURN_FROM_COMPILED_CODE,
    "swallows every exception": SWALLOWS_EVERY_EXCEPTION,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, "subprocess.Popen[str]"]]:
    """A pytest run of each source with our settings; together, as most of them only wait."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    command += ["-c", str(ROOT / "pyproject.toml"), "--timeout", str(LIMIT)]
    with ExitStack() as stack:
        started = {}
        for name, code in SOURCES.items():
            folder = tmp_path_factory.mktemp("waiting")
            (folder / "test_waiting.py").write_text(code)
            started[name] = subprocess.Popen(
                [*command, str(folder)],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            stack.enter_context(started[name])
            stack.callback(started[name].kill)
        yield started


def test_a_test_that_waits_fails_at_its_limit_and_the_next_one_runs(
    runs: dict[str, "subprocess.Popen[str]"],
) -> None:
    said, _ = runs["waits"].communicate(timeout=60)
    assert runs["waits"].returncode == FAILED
    assert f"Timeout (>{LIMIT}s)" in said
    assert "1 failed, 1 passed" in said


@pytest.mark.parametrize("name", list(SOURCES)[1:])
def test_a_test_that_goes_on_after_its_limit_is_ended_with_the_process(
    runs: dict[str, "subprocess.Popen[str]"], name: str
) -> None:
    said, _ = runs[name].communicate(timeout=60)
    assert runs[name].returncode == ENDED
    assert "test_waiting.py" in said, "the place is shown"
    assert "Timeout (0:00:03)!" in said


def test_every_test_has_a_limit(request: pytest.FixtureRequest) -> None:
    usual = float(request.config.getini("timeout"))
    assert 0 < usual <= LONGEST_USUAL
    for item in request.session.items:
        marker = item.get_closest_marker("timeout")
        limit = usual if marker is None else float(marker.args[0])
        most = FULL_SECONDS if item.get_closest_marker("full") else LONGEST_USUAL
        assert 0 < limit <= most, item.nodeid
