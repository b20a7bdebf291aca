"""What a record says, in three plain sentences: what was measured, what stands out, how sure."""

from collections.abc import Callable, Mapping

from unslant.core.errors import UnslantError
from unslant.reports.answers.audit import audit_answer
from unslant.reports.answers.compared import compared_answer
from unslant.reports.answers.probe import probe_answer
from unslant.reports.answers.study import study_answer
from unslant.reports.kinds import AUDIT, PROBE, STUDY
from unslant.reports.words import Record


def answer(record: Record) -> list[str]:
    """The sentences with which every report of this record begins."""
    if record["kind"] not in _BY_KIND:
        raise UnslantError(f'There is no report of a record of the kind "{record["kind"]}".')
    return _BY_KIND[record["kind"]](record)


def _audit(record: Record) -> list[str]:
    return compared_answer(record) if record["before"] else audit_answer(record)


_BY_KIND: Mapping[str, Callable[[Record], list[str]]] = {
    AUDIT: _audit,
    PROBE: probe_answer,
    STUDY: study_answer,
}
