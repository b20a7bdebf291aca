"""The answer of an audit of one set of vectors."""

from collections.abc import Iterator, Sequence

from unslant.core import wording
from unslant.core.finding import Finding
from unslant.core.measurement import Measurement
from unslant.core.record import Record, Result
from unslant.core.verdicts.whole import strongest
from unslant.core.wording import UNDECIDED, counted, number
from unslant.reports.results import (
    drawn_on_axis,
    furthest,
    main_tests,
    meaning_of,
    missing_words,
    name_of,
    sides_of,
)

# How strong an association test is, in words.

_ADVERBS = {"strong": "strongly", "moderate": "moderately", "weak": "weakly"}


def change_words(finding: Finding | None) -> str:
    """A change in a few words; empty if it is not judged."""
    if finding is None or finding.outcome is None:
        return ""
    unclear = "change undecided" if finding.outcome == "undecided" else "no clear change"
    return {"better": "a clear improvement", "worse": "clearly worse"}.get(finding.mark, unclear)


def pairs_of(record: Record, item: Measurement) -> str:
    """The pairs of a contrast, such as ``math with male terms and …``."""
    meaning = meaning_of(record, item)
    if meaning is None or not meaning.is_contrast or len(item.words) != 4 or not item.value:
        return ""
    first, second, one, other = (use.set for use in item.words)
    if item.value < 0:
        one, other = other, one
    return f"{first} with {one} and {second} with {other}"


def association(record: Record, result: Result, *, is_only: bool) -> str:
    """A sentence on one association test, with its size, its scale and its interval."""
    item = result.now
    scale = wording.scale(meaning_of(record, item))
    sure = interval_note(item, 2)
    on = f" on a scale of {scale}" if scale else ""
    size = f"{number(item.value, 2)}{on}{f'; {sure}' if sure else ''}"
    pairs = pairs_of(record, item)
    if not pairs or item.value is None:
        what = "The association test" if is_only else "The strongest association"
        return f"{what} is “{item.title}” ({size})."
    level = result.finding.level if result.finding else "not judged"
    if level == "undecided":
        what = "the tested association" if is_only else "the strongest association"
        return f"{UNDECIDED}: {what}, {pairs}, may be 0 or very small ({size})."
    also = "" if is_only else ", the strongest association found"
    if level == "not judged":
        return f"These vectors may associate {pairs} ({size}){also}; it is not judged."
    return f"These vectors associate {pairs}{_adverb(result)} ({size}){also}."


def _adverb(result: Result) -> str:
    """How strongly for sure, with what is probable."""
    finding = result.finding
    if finding is None or finding.level not in _ADVERBS:
        return ""
    least = "at least " if finding.probable else ""
    return f" {least}{_ADVERBS[finding.level]}"


def interval_note(item: Measurement, digits: int) -> str:
    """The interval with its level, such as ``95 % interval 1.45 to 1.84``."""
    if item.interval is None:
        return "no interval"
    return wording.interval_text(item.interval, digits)


ONLY_THESE = "These results apply only to the words tested."


def audit_answer(record: Record) -> tuple[str, str, str]:
    """How biased and where, how certain, and what was measured."""
    tests = [result for result in main_tests(record) if result.now.value is not None]
    found = list(_found(record, tests))
    return (
        " ".join(found) or "Nothing could be measured.",
        " ".join([*_certainty(tests), ONLY_THESE]),
        " ".join(_account(record)),
    )


def _found(record: Record, tests: Sequence[Result]) -> Iterator[str]:
    if tests:
        yield association(record, strongest(tests), is_only=len(tests) == 1)
    lean = lean_of(record)
    if lean is not None:
        yield from _lean(record, lean)
    if not tests and lean is None:
        known = [result.now for result in record.results if result.now.value is not None]
        for item in known[:2]:
            sure = interval_note(item, 3)
            yield f"“{item.title or item.metric}” is {number(item.value)} ({sure})."


def lean_of(record: Record) -> Result | None:
    """The first result along an axis that has a value."""
    return next(
        (
            result
            for result in record.results
            if result.now.value is not None and drawn_on_axis(record, result.now)
        ),
        None,
    )


def _lean(record: Record, result: Result) -> Iterator[str]:
    item, drawing = result.now, drawn_on_axis(record, result.now)
    sides = sides_of(item, drawing) if drawing else None
    meaning = meaning_of(record, item)
    on = f" on a scale of {wording.scale(meaning)}" if meaning and meaning.range else ""
    among = f"“{item.words[0].set}”" if item.words else "the words"
    sure = interval_note(item, 3)
    yield f"The mean lean of {among} is {number(item.value)}{on}{f' ({sure})' if sure else ''}."
    if drawing is None or sides is None:
        return
    positive, negative = furthest(item, drawing, 1)
    if positive and negative:
        yield (
            f"“{positive[0][0]}” leans furthest toward {sides[0]} and “{negative[0][0]}” toward "
            f"{sides[1]}."
        )


def _certainty(tests: Sequence[Result]) -> Iterator[str]:
    tested = [result for result in tests if result.now.p]
    if len(tested) == 1:
        yield f"The p-value of the test is {wording.p_value(tested[0].now.p)}."
    elif tested:
        clear = sum(result.now.p is not None and result.now.p.value <= 0.05 for result in tested)
        after = sum(
            result.corrected is not None and result.corrected.holm <= 0.05 for result in tested
        )
        yield (
            f"{clear} of {len(tested)} tests {'is' if clear == 1 else 'are'} significant "
            f"(p ≤ .05); {after} after Holm’s correction for the number of tests."
        )


def _account(record: Record) -> Iterator[str]:
    tests = main_tests(record)
    others = len(record.results) - len(tests)
    parts = [counted(len(tests), "association test")] if tests else []
    if others or not tests:
        parts.append(counted(others, "other measurement" if tests else "measurement"))
    by = " and ".join(parts)
    yield f"We measured {_resource(record)} for “{record.subject.title}” with {by}."
    yield from gaps(record)


def _resource(record: Record) -> str:
    if record.resource is None:
        return "nothing"
    facts = record.resource.facts
    size = [
        f"{facts[key]:,} {noun}"
        for key, noun in (("words", "words"), ("dim", "dimensions"))
        if isinstance(facts.get(key), int)
    ]
    return f"{record.resource.name} ({', '.join(size)})" if size else record.resource.name


def gaps(record: Record) -> Iterator[str]:
    """Missing values, missing words, and what was left out."""
    without = sum(result.now.value is None for result in record.results)
    if without:
        yield f"{without} of these {'has' if without == 1 else 'have'} no value."
    gone = len(missing_words(record))
    if gone:
        yield (
            f"{counted(gone, 'listed word')} {'is' if gone == 1 else 'are'} missing from the "
            f"vectors; see “Every word”."
        )
    if record.left_out:
        yield "“Left out” lists what could not be measured."


# The answer of a measure taken layer by layer.

_ONCE = "encoding every text once"


def layers_answer(record: Record) -> tuple[str, str, str]:
    """What the figure shows, how certain its largest value is, and what was measured where."""
    found = [exhibit.says for exhibit in record.exhibits if exhibit.says]
    known = [result for result in record.results if result.now.value is not None]
    first = " ".join(found) or "Nothing has a value at these places."
    return first, " ".join(_layers_certainty(record, known)), " ".join(_layers_account(record))


def _layers_certainty(record: Record, known: list[Result]) -> Iterator[str]:
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


def _layers_account(record: Record) -> Iterator[str]:
    model = record.resource.name if record.resource else "the model"
    places = counted(len(record.results), "measurement")
    how = "one for each ablated head" if "checked-heads" in record.settings else _ONCE
    yield f"We made {places} in {model} for “{record.subject.title}”, {how}."
    if record.left_out:
        yield "“Left out” lists what could not be measured."
