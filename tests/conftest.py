"""What all tests share: a cache of their own, and real vectors and data where they are."""

import faulthandler
import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

# The tests keep all cores busy themselves: threads of linear algebra that wait for each other by
# running would take several times as long. Set before numpy is loaded, for all processes.
os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
# No test asks the Hugging Face hub; threads of tokenizers would warn in processes that are forked.
os.environ.update({"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"})
os.environ.pop("COLUMNS", None)  # or the command line would keep the width of this terminal

import pytest
from hypothesis import settings as hypothesis_settings

from tests.schedule import ByFile, place_in_line
from unslant.datasets.registry import MissingDatasetError
from unslant.vectors import WordVectors, load

# A busy machine is no reason to fail: every test has a time limit, single examples have none.
hypothesis_settings.register_profile("unslant", deadline=None)
hypothesis_settings.load_profile("unslant")


def pytest_configure() -> None:
    """Ctrl-C works in the processes that tests start, also where the tests run in the background.

    A shell lets what it runs in the background ignore it, and everything started from there too.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


FULL_SECONDS = 7_200
_LIMIT = pytest.StashKey[float]()
_TERMINAL = os.dup(2)  # where pytest does not capture what is written


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files come first; long versions of tests have a longer limit than pyproject.toml's."""
    items.sort(key=place_in_line)
    for item in items:
        if item.get_closest_marker("full"):
            item.add_marker(pytest.mark.timeout(FULL_SECONDS))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """What ``--dist loadfile`` means here; other ways are as always."""
    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> None:
    """End the process if a test still runs after twice its limit.

    At its limit a test gets an exception, which does not help where it waits for a process while
    clearing up, where compiled code does not return, or in a teardown after a failure.
    """
    item.stash[_LIMIT] = settings.timeout
    _end_for_certain(item)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item) -> None:
    """Pytest calls the end off at each failure; teardowns are still to come."""
    if _LIMIT in node.stash:
        _end_for_certain(node)


def _end_for_certain(item: pytest.Item) -> None:
    if not item.config.getoption("usepdb"):
        faulthandler.dump_traceback_later(2 * item.stash[_LIMIT], exit=True, file=_TERMINAL)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test that ended is not ended again."""
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


_WITH_DATA = "UNSLANT_DATA" in os.environ


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    """Where the real data are not, a test that asks for some is skipped, and says which."""
    try:
        return (yield)
    except MissingDatasetError as error:
        if _WITH_DATA:
            raise
        pytest.skip(f"UNSLANT_DATA is not set: {str(error).partition(' was not found')[0]}")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Generator[None, object, object]:
    """So is one whose fixture does."""
    return (yield from pytest_runtest_call())


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's cache."""
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache for commands in processes of their own, as the script of charts takes seconds."""
    return str(tmp_path_factory.mktemp("warm"))


@pytest.fixture(scope="session")
def glove() -> WordVectors:
    """The built-in vectors."""
    return load()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; tests that need it skip where it is absent."""
    folder = os.environ.get("UNSLANT_DATA")
    if not folder:
        pytest.skip("UNSLANT_DATA is not set: the real data are not here")
    return Path(folder)


@pytest.fixture(scope="session")
def full_glove() -> WordVectors:
    """All of GloVe 6B 100d, where UNSLANT_GLOVE names the file."""
    path = os.environ.get("UNSLANT_GLOVE")
    if not path:
        pytest.skip("UNSLANT_GLOVE is not set: the full GloVe 6B 100d file is not here")
    return load(path, cache=False)
