"""The answer of an audit of one set of vectors."""

from collections.abc import Iterator, Sequence

from unslant.core import wording
from unslant.core.record import Record, Result
from unslant.core.verdicts.whole import strongest
from unslant.core.wording import counted, number
from unslant.reports.answers.associations import association, interval_note
from unslant.reports.results import (
    drawn_on_axis,
    furthest,
    main_tests,
    meaning_of,
    missing_words,
    sides_of,
)

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
