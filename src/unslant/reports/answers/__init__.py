"""The top of a report: how biased and where, how certain, and what was done, one line each."""

from unslant.core.record import Record
from unslant.core.verdicts import judged
from unslant.reports.answers.audit import audit_answer, layers_answer
from unslant.reports.answers.compared import compared_answer
from unslant.reports.answers.probe import probe_answer
from unslant.reports.answers.study import recommendation_answer, study_answer


def answer(record: Record) -> tuple[str, ...]:
    """The lines with which every view of this record begins.

    The verdict is first and the account of the work last.
    """
    if record.recommendation is not None:
        return recommendation_answer(record, record.recommendation)
    record = judged(record)
    verdict = (record.conclusion.sentence,) if record.conclusion else ()
    return *verdict, *_lines(record)


def _lines(record: Record) -> tuple[str, ...]:
    if record.about == "study":
        return study_answer(record)
    if record.about == "layers":
        return layers_answer(record)
    if record.about == "probe":
        return probe_answer(record)
    return compared_answer(record) if record.baseline else audit_answer(record)
