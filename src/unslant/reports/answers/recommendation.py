"""The answer of a recommendation: the method, the reason and the price."""

from unslant.core.recommendation import Recommendation
from unslant.core.record import Record
from unslant.reports.answers.study import study_answer


def recommendation_answer(record: Record, found: Recommendation) -> tuple[str, ...]:
    """The method or none, why, what it costs, and last the rule and what was measured."""
    said = filter(None, (found.answer, found.reason, found.price))
    rule = f"The rule for {found.purpose}: {found.rule}"
    return (*said, *found.notes, f"{rule} {study_answer(record)[-1]}")
