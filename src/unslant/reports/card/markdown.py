"""A record as a section of a card in Markdown."""

import json
from collections.abc import Iterator

from unslant.core import wording
from unslant.core.record import Record, Result
from unslant.core.visible import cell, code, escaped, visible
from unslant.core.wording import level_text
from unslant.reports.results import name_of

MOST_ROWS = 40
_LIMITS = (
    "These results apply only to the words and sentences tested. A low score does not show that "
    "there is no bias."
)


def section(record: Record) -> str:
    """What was measured, the verdict, the numbers, and how to compute them again."""
    return "\n".join([*_head(record), *_table(record), *_rebuild(record)]) + "\n"


def _head(record: Record) -> Iterator[str]:
    resource = record.resource.name if record.resource else "this resource"
    yield f"## Bias: {escaped(record.subject.title)}"
    yield ""
    if record.conclusion:
        yield f"**{escaped(record.conclusion.sentence)}**"
        yield ""
    what = f"Measured in {code(resource)}"
    if record.predictor:
        what += f", read by {code(record.predictor.name)}"
    if record.treatment:
        what += f", after {code(record.treatment.expression)}"
    if record.baseline:
        what += f", compared with {code(record.baseline.name)}"
    yield f"{what}. {_LIMITS}"
    yield ""


def _table(record: Record) -> Iterator[str]:
    columns = ["measure", "before", "value", "95 % interval", "better", "verdict"]
    has_before = record.baseline is not None
    if not has_before:
        columns.remove("before")
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for result in record.results[:MOST_ROWS]:
        yield f"| {' | '.join(_row(record, result, has_before))} |"
    more = len(record.results) - MOST_ROWS
    if more > 0:
        yield ""
        yield f"The record has {wording.counted(more, 'more result')}."


def _row(record: Record, result: Result, has_before: bool) -> Iterator[str]:
    item = result.now
    yield cell(name_of(record, item))
    if has_before:
        before = result.before.value if result.before and not result.not_comparable else None
        yield wording.number(before) if before is not None else "–"
    yield wording.number(item.value)
    yield wording.interval(item.interval) or "–"
    yield cell(item.better)
    yield cell(verdict_of(result))


def verdict_of(result: Result) -> str:
    """The verdict of a result in a few words."""
    finding = result.finding
    if finding is None:
        return ""
    level = "" if finding.level == "not judged" else level_text(finding)
    return "; ".join(part for part in (level, finding.outcome or "") if part) or "not judged"


def _rebuild(record: Record) -> Iterator[str]:
    yield ""
    yield "### How to compute this again"
    yield ""
    for what, resource in (
        ("measured", record.resource),
        ("read by", record.predictor),
        ("compared with", record.baseline),
    ):
        if resource and resource.sha256:
            yield f"- {what}: {escaped(resource.name)}, SHA-256 `{_code(resource.sha256)}`"
    if record.subject.sha256:
        name = escaped(record.subject.name)
        yield f"- words of {name}: SHA-256 `{_code(record.subject.sha256)}`"
    if record.treatment:
        yield f"- method: {escaped(record.treatment.expression)}"
    seeds = sorted({item.now.seed for item in record.results if item.now.seed is not None})
    if seeds:
        yield f"- seed: {', '.join(map(str, seeds))}"
    made = ", ".join(f"{name} {version}" for name, version in record.provenance.items())
    if made:
        yield f"- made with {escaped(made)}"
    how, command = how_to_compute(record)
    yield ""
    yield how
    if command:
        yield ""
        yield f"    {visible(command)}"  # an indented block, which only a new line could end


def how_to_compute(record: Record) -> tuple[str, str]:
    """A sentence, and the command that it announces, if there is one."""
    if record.command:
        return "In a folder with the files under these names:", record.command
    if record.study is not None:
        return (
            "Save the plan in this record (study, plan, text) as plan.toml next to the files that "
            "it names:",
            "unslant study run plan.toml -o FOLDER",
        )
    return (
        "No command computes this again: it was not made on the command line, and what was "
        "measured may have existed only in memory.",
        "",
    )


def _code(text: str) -> str:
    """Text for a span of code, which nothing can end."""
    return " ".join(visible(text).split()).replace("`", "'")


# A record as the `model-index` of a card's metadata, as Hugging Face reads it.

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
