"""The answer of a study of many vectors, methods and measures."""

from collections.abc import Sequence

from unslant.core.record import Record
from unslant.core.study_record import Correlations, Front, StudyPart
from unslant.reports.words import counted, number

_MOST_NAMED = 4
_FEW = 20


def study_answer(record: Record) -> tuple[str, ...]:
    """What stands out, how sure it is, and last what was measured."""
    study = record.study
    assert study is not None, "only records about a study have this answer"
    return _stands_out(study.front), _sure(study.correlations), _measured(record, study)


def _stands_out(front: Front | None) -> str:
    if front is None or not front.order:
        return "The study has no two measures to rank its rows by."
    best = [f"“{item.name}”" for item in front.order if item.front == 1]
    beaten = len(front.order) - len(best)
    said = (
        f"By {front.x} and {front.y} together, no row beats {_listed(best)}; {beaten} of "
        f"{counted(len(front.order), 'row')} {'is' if beaten == 1 else 'are'} beaten. This "
        f"compares the values alone, without their intervals."
    )
    if any(any(item.other_words) for item in front.order):
        said += " Rows marked ≠ used other words than most, so they do not compare."
    return said


def _measured(record: Record, study: StudyPart) -> str:
    plan = study.plan
    on = counted(len(plan.resources), "set of vectors", "sets of vectors")
    return (
        f"“{record.subject.name}” plans {counted(len(plan.measures), 'measure')} on {on} with "
        f"{counted(len(plan.methods), 'method')}: {study.status}"
    )


def _sure(found: Correlations | None) -> str:
    pairs = [
        (abs(pair.value), -place, pair)
        for place, pair in enumerate(found.of_kind("spearman") if found else ())
        if pair.value is not None
    ]
    if not pairs or found is None:
        return "Too few rows have values to say which measures are correlated."
    closest = max(pairs)[2]
    clear = sum(pair.corrected is not None and pair.corrected <= 0.05 for *_, pair in pairs)
    ends = ""
    if closest.low is not None:
        level = f"{100 * found.level:.0f} % interval"
        ends = f", {level} {number(closest.low, 2)} to {number(closest.high, 2)}"
    caution = (
        "With so few rows this is a guess."
        if closest.n < _FEW
        else "Rows that share vectors or words make this look more certain than it is."
    )
    return (
        f"Of {counted(len(pairs), 'pair')} of measures, {clear} {'has' if clear == 1 else 'have'} "
        f"an adjusted p ≤ .05. The strongest correlation is between {closest.first} and "
        f"{closest.second} (Spearman’s ρ {number(closest.value, 2)}{ends}, "
        f"{counted(closest.n, 'row')}). {caution}"
    )


def _listed(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
    return " or ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])
