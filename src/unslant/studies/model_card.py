"""The debiasing section of a model card: main measures before and after, as Markdown."""

from unslant.core import wording
from unslant.core.markdown import cell, escaped
from unslant.core.record import Record, Result

_MOST = 12


def card_section(record: Record) -> str:
    """A table of the changes, and the limits of what they show."""
    rows = [result for result in record.results if result.before is not None][:_MOST]
    if not rows:
        return ""
    lines = [
        f"Measured for {escaped(record.subject.title)}, before and after on the same resamples:",
        "",
        "| measure | before | after | change (95 % interval) | better |",
        "|---|---|---|---|---|",
        *(_row(result) for result in rows),
        "",
        "These results apply only to the words tested. A small value does not show that the model "
        "is free of bias.",
    ]
    return "\n".join(lines)


def _row(result: Result) -> str:
    assert result.before is not None
    change = result.change
    ends = change.interval if change else None
    difference = _number(change.difference if change else None)
    interval = f" ({wording.interval(ends)})" if ends else ""
    verdict = change.verdict if change else ""
    cells = (
        cell(result.now.title),
        _number(result.before.value),
        _number(result.now.value),
        f"{difference}{interval}",
        verdict,
    )
    return f"| {' | '.join(cells)} |"


def _number(value: float | None) -> str:
    return "–" if value is None else wording.number(value)
