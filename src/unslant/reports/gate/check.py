"""One check of a gate, and what all of them say together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from unslant.core.errors import UnslantError
from unslant.core.record import Record, Result

Status = Literal["passed", "failed", "not judged", "skipped"]
Judge = Literal["interval", "value"]

PASSED, FAILED, NOT_JUDGED = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Check:
    """A requirement on one result, and its outcome."""

    name: str
    asked: str
    status: Status
    says: str


def exit_code(checks: Sequence[Check]) -> int:
    """0 if all pass, 1 if any fails, 2 if none fails but any, or all, cannot be judged."""
    found = {check.status for check in checks}
    if "failed" in found:
        return FAILED
    return PASSED if "passed" in found and "not judged" not in found else NOT_JUDGED


def names_of(result: Result) -> tuple[str, ...]:
    """How a result can be named, the shortest unambiguous one first.

    ``weat:career-family`` and ``weat``; a measure with parameters also by its expression.
    """
    item = result.now
    expression = str(item.parameters.get("expression", item.metric))
    test = str(item.parameters.get("subject", "")).partition("/")[2]
    measures = dict.fromkeys((item.metric, expression))
    return (*(f"{name}:{test}" for name in measures if test), *measures)


def name_of(record: Record, result: Result) -> str:
    """The name of a result that no other result has, if there is one."""
    taken = [name for other in record.results for name in names_of(other)]
    return next((name for name in names_of(result) if taken.count(name) == 1), names_of(result)[0])


def refuse_empty(record: Record, where: str) -> None:
    """Refuse a record in which nothing was measured: an empty one looks like a good one."""
    if record.study is not None:
        raise UnslantError(
            f"{where} is the record of a study. Check the record of an audit or a probe."
        )
    if all(result.now.value is None for result in record.results):
        raise UnslantError(f"{where} has no result with a value, so there is nothing to check.")
