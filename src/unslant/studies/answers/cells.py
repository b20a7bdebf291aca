"""What stands at one place of a table: a number, the mean of several seeds, or why neither."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from unslant.core.study_record import TableCell
from unslant.studies.answers.rows import DONE, FAILED, MISSING, UNDEFINED, Row


def usual_words(rows: Sequence[Row]) -> dict[tuple[str, str], str]:
    """The words that most numbers of a measure of a concept used; the first of equally many."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        if row.state == DONE:
            counts.setdefault((row.measure, row.concept), Counter())[row.words_key] += 1
    return {place: counter.most_common(1)[0][0] for place, counter in counts.items()}


def cell_of(rows: Sequence[Row], usual: Mapping[tuple[str, str], str]) -> TableCell:
    """What the rows of one place come to."""
    if not rows:
        return TableCell()
    done = [row for row in rows if row.value is not None]
    facts: dict[str, Any] = {
        "of": len(rows),
        "n": len(done),
        "ids": tuple(r.id for r in rows if r.id),
    }
    unlike = any(row.words_key != usual[row.measure, row.concept] for row in done)
    lacking = [row for state in (FAILED, MISSING, UNDEFINED) for row in rows if row.state == state]
    why = lacking[0].why if lacking else ""
    if not done:
        return TableCell(state=lacking[0].state, why=why, **facts)
    values = [row.value for row in done if row.value is not None]
    # Equal values must have an equal mean, or rounding would break ties between rows.
    mean = min(max(math.fsum(values) / len(values), min(values)), max(values))
    squares = math.fsum((value - mean) ** 2 for value in values)
    only = done[0] if len(rows) == 1 else None
    return TableCell(
        state=DONE,
        value=mean,
        sd=math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else None,
        interval=only.interval if only else None,
        p=only.p if only else None,
        other_words=unlike,
        why=why,
        **facts,
    )
