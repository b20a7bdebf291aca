"""What differs between two studies, laid out for reading."""

from collections.abc import Sequence

from unslant.core.study_record import CellState, LabelledNumber, StudyDifference
from unslant.core.wording import number
from unslant.reports.grid_sheets import STATES
from unslant.reports.sheets import Item, Sheet

_MOST = 50


def of_difference(record: StudyDifference, digits: int) -> list[Sheet]:
    """What changed, what only one study has, and what either lacks."""
    changed = [
        [
            _named(item),
            Item(_value(item.a, item.state_a, digits)),
            Item(_value(item.b, item.state_b, digits)),
            Item("" if item.absolute is None else _signed(item.absolute, digits)),
            Item("" if item.relative is None else _signed(100 * item.relative, 1) + " %"),
            Item(", ".join(item.parts)),
        ]
        for item in record.changed
    ]
    alone = [
        [_named(item), Item(side)]
        for side, items in (("A", record.only_in_a), ("B", record.only_in_b))
        for item in items
    ]
    lacking = [
        [_named(item), Item(item.side), Item(STATES[item.state]), Item(item.why)]
        for item in record.lacking
    ]
    inputs = [[_named(item), Item(item.a), Item(item.b)] for item in record.other_inputs]
    found = [
        _listing("Changed", ["A", "B", "change", "relative", "what"], changed),
        _listing("Only in one", ["study"], alone),
        _listing("Without a result", ["study", "state", "why"], lacking),
        _listing("Other inputs", ["id in A", "id in B"], inputs),
    ]
    return [sheet for sheet in found if sheet.lines]


def summary(record: StudyDifference) -> list[str]:
    """Whether the two studies are the same, in a sentence or two."""
    counts = [
        (len(record.changed), "changed"),
        (len(record.only_in_a), "only in A"),
        (len(record.only_in_b), "only in B"),
        (len(record.lacking), "failed or not done"),
    ]
    listed = ", ".join(f"{count} {what}" for count, what in counts if count)
    said = "all the same" if record.is_same else listed
    sentences = [f"{record.compared} numbers are in both studies: {said}."]
    if not record.has_same_inputs:
        count = len(record.other_inputs)
        made = "1 was" if count == 1 else f"{count} were"
        sentences.append(f"{made} made from other inputs under the same label.")
    return sentences


def _listing(title: str, heads: Sequence[str], lines: Sequence[Sequence[Item]]) -> Sheet:
    if len(lines) > _MOST:
        title += f" (the first {_MOST} of {len(lines):,}; csv and json have all)"
    is_text = heads[-1] in ("what", "why")
    return Sheet(title=title, head=["cell", *heads], lines=lines[:_MOST], ends_in_text=is_text)


def _named(item: LabelledNumber) -> Item:
    row = ".".join(part for part in (item.resource, item.method) if part)
    return Item(f"{row}, {item.measure}, {item.concept}, seed {item.seed}")


def _value(value: float | None, state: CellState, digits: int) -> str:
    return number(value, digits) if state == "done" else STATES[state]


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")
