"""What all tests share: a cache of their own, and real vectors and data where they are."""

import os
import signal
from pathlib import Path

import pytest

from unslant.vectors import WordVectors, load


def pytest_configure() -> None:
    """Ctrl-C works in the processes that tests start, also where the tests run in the background.

    A shell lets what it runs in the background ignore it, and everything started from there too.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's cache."""
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))


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
