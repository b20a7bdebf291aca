"""Records with numbers made by hand."""

from typing import Any

from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Change, Meaning, Record, Resource, Result, Subject
from unslant.core.score import EFFECT_SIZE
from unslant.core.verdicts import judged

BETTER = {"weat": "closer to 0", "lean": "smaller", "analogy": "larger", "share": "closer to 0.5"}
GLOSSARY = {
    name: Meaning(
        summary=name,
        role="quality" if name == "analogy" else "test",
        better=better,
        scale=EFFECT_SIZE if name == "weat" else None,
    )
    for name, better in BETTER.items()
}


def measured(
    metric: str,
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    test: str = "",
    expression: str = "",
    title: str = "",
) -> Measurement:
    return Measurement(
        value=value,
        why_undefined="" if value is not None else "no word is known",
        metric=metric,
        title=title or metric,
        better=BETTER[metric],
        interval=None
        if low is None or high is None
        else Interval(low=low, high=high, level=0.95, how="bca"),
        parameters={
            "expression": expression or metric,
            **({"subject": f"gender/{test}"} if test else {}),
        },
    )


def result(before: float, *numbers: Any, change: Change | None = None, **named: Any) -> Result:
    now = measured(*numbers, **named)
    return Result(now=now, before=measured(now.metric, before), change=change)


def record(*items: Measurement | Result, sha: str = "a" * 64, **given: Any) -> Record:
    results = tuple(item if isinstance(item, Result) else Result(now=item) for item in items)
    told: dict[str, Any] = {
        "about": "audit",
        "subject": Subject(kind="concept", name="gender", title="Gender"),
        "resource": Resource(name="word.vec", kind="vectors", sha256=sha),
        "provenance": {"unslant": "1.0"},
    } | given
    return judged(Record(results=results, glossary=GLOSSARY, **told))
