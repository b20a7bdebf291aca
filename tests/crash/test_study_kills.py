"""Studies that are killed, interrupted or run out of disk: what was acknowledged stays."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.studies.run.trivial import first_lines, noted, plan_in
from tests.tallies import Tally
from unslant.studies.run.contents import status
from unslant.studies.run.store import Store

ROOT = Path(__file__).resolve().parents[2]
RUNNER = [sys.executable, "-m", "tests.studies.run.trivial_run"]
SEEDS = 25


class Runner:
    """Starts runs of the trivial study, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [*RUNNER, folder], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._number()

    def start(self, folder: Path, full_from: int | None = None) -> int:
        self._tell(f"{folder}\t{full_from}" if full_from else str(folder))
        return self._number()

    def ended(self) -> int:
        self._tell("")
        return self._number()

    def _tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def _number(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plan")
    plan_in(folder, SEEDS)
    return folder


@pytest.fixture(scope="module")
def runner(folder: Path) -> Iterator[Runner]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRIVIAL_SECONDS", "0.005")
        runner = Runner(folder)
    yield runner
    runner.process.communicate(timeout=30)


@pytest.fixture(scope="module")
def unbroken(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, float]:
    """A study that nobody disturbed, and how many seconds it took."""
    store = Store(tmp_path_factory.mktemp("unbroken") / "study")
    begun = time.perf_counter()
    runner.start(store.folder)
    assert runner.ended() == 0
    assert len(store.done()) == 2 * SEEDS
    return store, time.perf_counter() - begun


def log_of(store: Store) -> list[str]:
    return noted(Path(f"{store.folder}.log"))


def acknowledged(store: Store) -> set[str]:
    return set(noted(Path(f"{store.folder}.acknowledged")))


def partials(store: Store) -> list[Path]:
    return list(store.folder.rglob("*.partial"))


def check_finished(runner: Runner, store: Store, expected: Store) -> None:
    """Resume until the end: nothing that was done is computed, and all is as if unbroken."""
    done, before = store.done(), len(log_of(store))
    runner.start(store.folder)
    assert runner.ended() == 0
    assert not done & set(log_of(store)[before:])
    assert first_lines(store) == first_lines(expected)
    assert partials(store) == []
    assert status(store).is_complete


@pytest.mark.parametrize("kills", [20, pytest.param(100, marks=pytest.mark.full)])
def test_killed_at_any_moment_a_study_loses_and_repeats_nothing(
    runner: Runner, unbroken: tuple[Store, float], tmp_path: Path, kills: int, tally: Tally
) -> None:
    expected, whole = unbroken
    draw, midway, studies = random.Random(7), 0, [Store(tmp_path / "0")]
    for _ in range(kills):
        store = studies[-1]
        done, before = store.done(), len(log_of(store))
        child = runner.start(store.folder)
        time.sleep(draw.uniform(0, whole / 2))
        os.kill(child, signal.SIGKILL)
        ended = runner.ended()
        assert ended in (0, -signal.SIGKILL)
        now = store.done()
        assert done <= now
        assert acknowledged(store) <= now
        assert not done & set(log_of(store)[before:])
        for cell in now:
            assert first_lines(store)[cell] == first_lines(expected)[cell]
        midway += ended != 0 and 0 < len(now) < 2 * SEEDS
        if len(now) == 2 * SEEDS:
            studies.append(Store(tmp_path / f"{len(studies)}"))
    assert midway >= kills // 3
    for store in studies:
        check_finished(runner, store, expected)
        twice = len(log_of(store)) - 2 * SEEDS
        assert 0 <= twice <= kills  # at most the one cell that was under way
    tally(kills)


def test_workers_end_with_a_main_process_that_is_killed(
    runner: Runner, unbroken: tuple[Store, float], folder: Path, tmp_path: Path
) -> None:
    store = Store(tmp_path / "study")
    with two_workers(folder, store) as process:
        wait_until(lambda: len(acknowledged(store)) >= 3)
        process.kill()
    workers = {int(pid) for pid in noted(Path(f"{store.folder}.log.processes"))}
    assert len(workers) == 2
    wait_until(lambda: not any(map(is_alive, workers)))
    assert acknowledged(store) <= store.done()
    assert 3 <= len(store.done()) < 2 * SEEDS
    check_finished(runner, store, unbroken[0])


def test_ctrl_c_keeps_what_is_done_and_ends_at_once(
    runner: Runner, unbroken: tuple[Store, float], folder: Path, tmp_path: Path
) -> None:
    store = Store(tmp_path / "study")
    with two_workers(folder, store) as process:
        wait_until(lambda: len(acknowledged(store)) >= 3)
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the workers as well
        _, said = process.communicate(timeout=20)
    assert said.splitlines()[-1] == "KeyboardInterrupt"
    assert said.count("Traceback") == 1  # the workers keep quiet
    assert acknowledged(store) == store.done()
    assert 3 <= len(store.done()) < 2 * SEEDS
    assert partials(store) == []
    assert not any(is_alive(int(pid)) for pid in noted(Path(f"{store.folder}.log.processes")))
    check_finished(runner, store, unbroken[0])


def two_workers(folder: Path, store: Store) -> "subprocess.Popen[str]":
    """A run in two worker processes that takes some seconds."""
    return subprocess.Popen(
        [*RUNNER, folder, store.folder],
        cwd=ROOT,
        env={**os.environ, "TRIVIAL_SECONDS": "0.15"},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(is_so: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    described = Path(f"/proc/{process}/stat")
    return not described.exists() or described.read_text().rpartition(")")[2].split()[0] != "Z"


# Full disks -----------------------------------------------------------------------------------


def check_full(runner: Runner, store: Store, expected: Store, before: dict[str, bytes]) -> None:
    """A run met a full disk: one clear message, and nothing that was there is gone."""
    assert runner.ended() == 2
    message = Path(f"{store.folder}.message").read_text()
    assert "No space left on device" in message
    assert "\n" not in message
    assert before.items() <= first_lines(store).items()
    assert acknowledged(store) <= store.done()
    assert first_lines(store).items() <= first_lines(expected).items()
    assert partials(store) == []
    assert set(first_lines(store)) == store.done()


def test_a_disk_that_fills_up_at_any_flush_keeps_earlier_results(
    runner: Runner, unbroken: tuple[Store, float], tmp_path: Path, tally: Tally
) -> None:
    expected, store = unbroken[0], Store(tmp_path / "study")
    for flush in range(1, 21):
        before = first_lines(store)
        runner.start(store.folder, full_from=flush if flush < 8 else 1 + flush % 3)
        check_full(runner, store, expected, before)
    assert 0 < len(store.done()) < 2 * SEEDS
    check_finished(runner, store, expected)
    tally(20)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for half a mebibyte, where one may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_keeps_earlier_results(
    runner: Runner, unbroken: tuple[Store, float], small_disk: Path, tmp_path: Path, tally: Tally
) -> None:
    expected, real = unbroken[0], Store(small_disk / "study")
    store = Store(tmp_path / "study")  # a link, so that what the test notes is on another disk
    real.folder.mkdir()
    store.folder.symlink_to(real.folder)
    ballast = small_disk / "ballast"
    for pages in range(20):
        stats = os.statvfs(small_disk)
        ballast.write_bytes(bytes(stats.f_bavail * stats.f_frsize - 4096 * (pages % 3)))
        before = first_lines(store)
        runner.start(store.folder)
        check_full(runner, store, expected, before)
        ballast.unlink()
    assert 0 < len(store.done()) < 2 * SEEDS
    check_finished(runner, store, expected)
    tally(20)
