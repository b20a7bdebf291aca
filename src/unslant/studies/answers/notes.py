"""Notes to read before the numbers of a study."""

from collections import Counter

from unslant.studies.answers.pivot import Pivot
from unslant.studies.answers.rows import FAILED, MISSING, UNDEFINED


def notes(grid: Pivot) -> tuple[str, ...]:
    """Which numbers are missing, undefined, not comparable or means; one plain sentence each."""
    states = Counter(row.state for row in grid.rows)
    cells = [cell for line in grid.cells for cell in line]
    sentences = []
    if states[FAILED] or states[MISSING]:
        is_open = "is not done yet" if states[MISSING] == 1 else "are not done yet"
        lacking = [(states[MISSING], is_open), (states[FAILED], "failed")]
        counts = " and ".join(f"{count:,} {what}" for count, what in lacking if count)
        sentences.append(f"Not the whole study: of {len(grid.rows):,} numbers {counts}.")
    if states[UNDEFINED]:
        why = next(row.why for row in grid.rows if row.state == UNDEFINED)
        sentences.append(f"NA: {_counted(states[UNDEFINED])} no value, the first because: {why}")
    marked = sum(cell.other_words for cell in cells)
    if marked:
        sentences.append(
            f"≠: {marked:,} of {sum(cell.n > 0 for cell in cells):,} cells used other words than "
            f"the rest of their column, so they do not compare with it."
        )
    if any(cell.of > 1 for cell in cells):
        sentences.append(
            "Several seeds are averaged: mean ± standard deviation, and how many seeds in brackets."
        )
    return tuple(sentences)


def _counted(count: int) -> str:
    return "1 number has" if count == 1 else f"{count:,} numbers have"
