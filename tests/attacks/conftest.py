"""Attacks are measured in one thread.

CPython 3.11 can deadlock when a thread starts while memory is being traced, as these tests do.
"""

import pytest


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers parse in the thread that calls them."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
