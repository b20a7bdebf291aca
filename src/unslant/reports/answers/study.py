"""The answer of a study of many vectors, methods and measures."""

from collections.abc import Sequence

from unslant.core.record import Recommendation, Record
from unslant.core.score import better_side
from unslant.core.study_record import (
    Correlations,
    Front,
    StudyPart,
    StudyTable,
    TableCell,
    TableColumn,
    TableRow,
)
from unslant.core.wording import counted, level, number, some, span

_MOST_NAMED = 4
_FEW = 20


def study_answer(record: Record) -> tuple[str, ...]:
    """The main result, how certain it is, and what was measured."""
    study = record.study
    assert study is not None, "only records about a study have this answer"
    best = f"{_best(study.table)} " if study.table else ""
    stands_out = f"{best}{_stands_out(study.front)}"
    return stands_out, _sure(study.correlations), _measured(record, study)


def _best(table: StudyTable) -> str:
    """The best row of each measure, and in how many its interval leaves no other."""
    said, alone = [], 0
    for place, column in enumerate(table.columns):
        best = [row for row in table.rows if row.cells[place].best]
        if not best:
            continue
        said.append(f"{column.label}: {_listed([_row_name(table, row) for row in best])}")
        alone += len(best) == 1 and _is_apart(best[0].cells[place], table.column(place), column)
    if not said:
        return "No measure has a best value."
    few = "; ".join(said[:_MOST_NAMED])
    more = f"; and {len(said) - _MOST_NAMED} more measures" if len(said) > _MOST_NAMED else ""
    sure = (
        f"The best row is shown to be better than all others in {alone or 'none'} of "
        f"{counted(len(said), 'measure')}"
        f"{'' if alone == len(said) else '; in the others, intervals overlap or are missing'}."
    )
    return f"Best values: {few}{more}. {sure}"


def _is_apart(best: TableCell, cells: Sequence[TableCell], column: TableColumn) -> bool:
    """Whether the interval of the best lies apart from those of all others on the same words."""
    better = better_side(column.better)
    others = [cell for cell in cells if cell is not best and cell.value is not None]
    others = [cell for cell in others if cell.other_words == best.other_words]
    if better is None or best.interval is None or not others:
        return False
    worst = better.gaps(*best.interval)[1]
    return all(cell.interval and worst < better.gaps(*cell.interval)[0] for cell in others)


def _row_name(table: StudyTable, row: TableRow) -> str:
    """The distinguishing name of a row: without its vectors if all rows share them."""
    shared = [len({other.key[at] for other in table.rows}) == 1 for at in range(len(row.key))]
    key = [str(part) for part, is_shared in zip(row.key, shared, strict=True) if not is_shared]
    return f"“{' / '.join(key or map(str, row.key))}”"


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
        ends = f", {level(found.level)} {span(closest.low, closest.high, 2)}"
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
        return some(names, _MOST_NAMED)
    return " or ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])


# The answer of a recommendation: the method, the reason and the price.


def recommendation_answer(record: Record, found: Recommendation) -> tuple[str, ...]:
    """The method or none, why, what it costs, and last the rule and what was measured."""
    said = filter(None, (found.answer, found.reason, found.price))
    rule = f"The rule for {found.purpose}: {found.rule}"
    return (*said, *found.notes, f"{rule} {study_answer(record)[-1]}")
