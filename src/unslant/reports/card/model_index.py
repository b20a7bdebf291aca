"""A record as the ``model-index`` of a card's metadata, as Hugging Face reads it."""

import json
from collections.abc import Iterator

from unslant.core.record import Record, Result
from unslant.core.visible import visible
from unslant.reports.card.markdown import verdict_of
from unslant.reports.results import name_of

_TASKS = {"audit": "bias-audit", "probe": "bias-probe", "layers": "bias-audit"}


def model_index(record: Record) -> str:
    """YAML: one metric for each result with a value, with its interval and verdict as arguments."""
    name = record.resource.name if record.resource else "unknown"
    return "\n".join(
        [
            "model-index:",
            f"- name: {_text(name)}",
            "  results:",
            "  - task:",
            f"      type: {_text(_TASKS.get(record.about, 'bias'))}",
            f"      name: {_text('Measuring bias')}",
            "    dataset:",
            f"      type: {_text(record.subject.name)}",
            f"      name: {_text(record.subject.title)}",
            "    metrics:",
            *(line for item in record.results for line in _metric(record, item)),
        ]
    )


def _metric(record: Record, result: Result) -> Iterator[str]:
    item = result.now
    if item.value is None:
        return
    yield f"    - type: {_text(item.metric)}"
    yield f"      value: {json.dumps(item.value)}"
    yield f"      name: {_text(name_of(record, item))}"
    yield "      args:"
    yield f"        measure: {_text(str(item.parameters.get('expression', item.metric)))}"
    if item.parameters.get("subject"):
        yield f"        subject: {_text(str(item.parameters['subject']))}"
    if item.interval:
        ends = json.dumps([item.interval.low, item.interval.high])
        yield f"        interval: {ends}"
        yield f"        level: {json.dumps(item.interval.level)}"
    yield f"        better: {_text(item.better)}"
    yield f"        verdict: {_text(verdict_of(result))}"


def _text(text: str) -> str:
    """A string in double quotes: JSON's, whose escapes YAML has too."""
    return json.dumps(visible(text), ensure_ascii=False)
