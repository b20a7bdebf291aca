"""The answer of a measure taken layer by layer."""

from collections.abc import Iterator

from unslant.core import wording
from unslant.core.record import Record, Result
from unslant.core.wording import counted, number
from unslant.reports.results import name_of

_ONCE = "encoding every text once"


def layers_answer(record: Record) -> tuple[str, str, str]:
    """What the figure shows, how certain its largest value is, and what was measured where."""
    found = [exhibit.says for exhibit in record.exhibits if exhibit.says]
    known = [result for result in record.results if result.now.value is not None]
    first = " ".join(found) or "Nothing has a value at these places."
    return first, " ".join(_certainty(record, known)), " ".join(_account(record))


def _certainty(record: Record, known: list[Result]) -> Iterator[str]:
    """How far the values reach, and how many differ from no effect after correction."""
    if known:
        low = min(known, key=lambda result: result.now.value or 0)
        high = max(known, key=lambda result: result.now.value or 0)
        for which, result in (("lowest", low), ("highest", high)):
            found = result.now.interval
            reach = f" ({wording.interval_text(found, 2)})" if found else ""
            yield f"The {which} is {number(result.now.value, 2)}{reach}: {_of(record, result)}."
    tested = [result for result in known if result.corrected is not None]
    if tested:
        clear = sum(r.corrected is not None and r.corrected.holm <= 0.05 for r in tested)
        of = counted(len(tested), "place")
        yield f"{clear} of {of} differ from no effect after Holm’s correction."
    yield "These results apply only to this model and these sentences."


def _of(record: Record, result: Result) -> str:
    return name_of(record, result.now)


def _account(record: Record) -> Iterator[str]:
    model = record.resource.name if record.resource else "the model"
    places = counted(len(record.results), "measurement")
    how = "one for each ablated head" if "checked-heads" in record.settings else _ONCE
    yield f"We made {places} in {model} for “{record.subject.title}”, {how}."
    if record.left_out:
        yield "“Left out” lists what could not be measured."
