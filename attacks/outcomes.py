"""What became of each test: a plugin of pytest that keeps outcomes and the figures tests noted."""

import json
from collections.abc import Generator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

ERROR, TALLY = "error", "tally"
_WORST = {"passed": 0, "skipped": 1, "failed": 2}


@dataclass
class Outcome:
    """One case of a test: how it ended, why, its seconds, and what it counted.

    ``error`` is the name of the exception's class if the test's own body raised it.
    """

    test: str
    outcome: str = "passed"
    reason: str = ""
    error: str = ""
    seconds: float = 0.0
    tallies: list[dict[str, Any]] = field(default_factory=list)


class Outcomes:
    """Collects the outcomes of a run, also of one in several processes."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.found: dict[str, Outcome] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note the class of what a test raised."""
        report = yield
        if call.when == "call" and call.excinfo is not None and report.failed:
            report.user_properties.append((ERROR, _class_of(call.excinfo)))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a report of setup, call or teardown."""
        one = self.found.setdefault(report.nodeid, Outcome(report.nodeid))
        one.seconds += report.duration
        if _WORST[report.outcome] > _WORST[one.outcome]:
            one.outcome, one.reason = report.outcome, _reason(report)
        if report.when == "call":
            noted = (value for name, value in report.user_properties if name == TALLY)
            one.tallies += [value for value in noted if isinstance(value, dict)]
            one.error = next((str(v) for name, v in report.user_properties if name == ERROR), "")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what was found, in the process that sees all reports."""
        if self.path and not hasattr(session.config, "workerinput"):
            self.path.write_text(json.dumps([asdict(one) for one in self.found.values()]))


def read(path: Path) -> list[Outcome]:
    """What a run wrote."""
    return [Outcome(**one) for one in json.loads(path.read_text())]


def _class_of(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """A test at its time limit fails like one that says so itself; they are told apart here."""
    name = excinfo.type.__name__
    return "Timeout" if name == "Failed" and str(excinfo.value).startswith("Timeout") else name


def _reason(report: pytest.TestReport) -> str:
    if report.skipped and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    said = crash.message if crash else str(report.longrepr or "")
    return said.strip().split("\n", 1)[0][:300]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the outcomes go."""
    parser.addoption("--outcomes", type=Path, metavar="FILE", help="write the outcome of each test")


def pytest_configure(config: pytest.Config) -> None:
    """Collect from the start."""
    config.pluginmanager.register(Outcomes(config.getoption("--outcomes")))
