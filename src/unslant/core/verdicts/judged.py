"""A record with what each result and all of them show."""

from collections import Counter
from dataclasses import replace

from unslant.core.finding import SHOWN, Finding
from unslant.core.record import Meaning, Record, Result
from unslant.core.verdicts.changes import change_in_bias, change_in_quality
from unslant.core.verdicts.study import study_conclusion
from unslant.core.verdicts.whole import Strength, conclusion_of, random_lists, strength_of
from unslant.core.wording import UNDECIDED, brief, interval_text


def judged(record: Record) -> Record:
    """The record with a finding for each result and a conclusion; as it is if it has them.

    A study has a conclusion on its methods, and a recommendation one of its own.
    """
    if record.conclusion is not None or record.recommendation is not None:
        return record
    if record.study is not None:
        return replace(record, conclusion=study_conclusion(record))
    sizes = Counter(_family(record, result) for result in record.results)
    results = tuple(
        replace(
            result,
            finding=finding_of(
                result,
                record.glossary.get(result.now.metric),
                family=sizes[_family(record, result)],
                has_baseline=record.baseline is not None,
            ),
        )
        for result in record.results
    )
    found = replace(record, results=results)
    return replace(found, conclusion=conclusion_of(found))


def finding_of(
    result: Result, meaning: Meaning | None, *, family: int = 1, has_baseline: bool = False
) -> Finding:
    """The verdict on one result; ``family`` is the number of results with the same score."""
    if meaning and "quality" in (meaning.role, meaning.tells):
        return _of_quality(result, meaning)
    if meaning and meaning.tells == "background":
        said = "It measures no bias, but helps to read the other numbers."
        return Finding(level="not judged", sentence=said)
    strength = strength_of(result, meaning, family=family, has_baseline=has_baseline)
    changed = change_in_bias(result, meaning)
    is_shown = meaning is not None and strength.level in SHOWN
    caution = random_lists(result.now, meaning.scale) if meaning and is_shown else ""
    parts = [_said(strength, result), changed.sentence if changed else "", caution]
    return Finding(
        level=strength.level,
        probable=strength.probable,
        sentence=" ".join(part for part in parts if part),
        outcome=changed.outcome if changed else None,
        mark=changed.mark if changed else "",
        caution=caution,
    )


def _of_quality(result: Result, meaning: Meaning) -> Finding:
    changed = change_in_quality(result, meaning)
    if changed is None:
        said = f"A measure of quality: {_value(result)}."
        return Finding(level="not judged", sentence=said)
    return Finding(
        level="not judged",
        sentence=changed.sentence,
        outcome=changed.outcome,
        mark=changed.mark,
    )


def _family(record: Record, result: Result) -> tuple[str, ...]:
    """The key of a family of results: equal for results of one score."""
    meaning = record.glossary.get(result.now.metric)
    return (meaning.summary, meaning.better) if meaning else (result.now.metric,)


def _said(strength: Strength, result: Result) -> str:
    """The sentence of a level with its reason."""
    value = _value(result)
    if strength.level == "not judged":
        return f"The value alone is not judged: {strength.why}."
    if strength.level == "undecided":
        return f"{UNDECIDED}: {_alone(result)}, and {strength.why}."
    if strength.level == "shown":
        return f"Bias is shown ({value}); its size is not judged: {strength.why}."
    if strength.probable:
        return f"Bias is shown, at least {strength.level}, probably {strength.probable}: {value}."
    return f"Bias is shown and {strength.level}: {value}."


def _alone(result: Result) -> str:
    item = result.now
    if item.value is None:
        return f"no value ({item.why_undefined.rstrip('.')})"
    return f"the value is {brief(item.value)}"


def _value(result: Result) -> str:
    item = result.now
    if item.value is None:
        return _alone(result)
    ends = f", {interval_text(item.interval)}" if item.interval else ", no interval"
    return f"{brief(item.value)}{ends}"
