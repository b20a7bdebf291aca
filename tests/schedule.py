"""Which tests a worker gets together, and which come first."""

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

BROWSER = "tests/browser/"
LONGEST_FIRST = (
    BROWSER,
    "tests/studies/test_audit.py",
    "tests/cli/test_commands.py",
    "tests/contracts/",
    "tests/cli/",
    "tests/models/nli/test_training.py",
    "tests/examples/",
    "tests/studies/",
    "tests/web/",
    "tests/reports/",
    "tests/crash/",
    "tests/attacks/",
)
"""Where most of the time goes: at the end only short files are left, so that no worker waits."""


def place_in_line(item: pytest.Item) -> int:
    """The place of a test's file in the order above, after all of it for others."""
    found = (n for n, start in enumerate(LONGEST_FIRST) if item.nodeid.startswith(start))
    return next(found, len(LONGEST_FIRST))


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """A file at a time, and all tests with a browser at once: they share one."""

    def _split_scope(self, nodeid: str) -> str:
        return BROWSER if nodeid.startswith(BROWSER) else str(super()._split_scope(nodeid))
