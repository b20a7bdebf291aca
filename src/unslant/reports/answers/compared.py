"""The answer of a comparison of vectors with those before: what changed, and what remains."""

from collections.abc import Iterator, Sequence

from unslant.core import wording
from unslant.core.record import Record, Result
from unslant.core.wording import counted, number, percent
from unslant.reports.answers.audit import ONLY_THESE, change_words, gaps, pairs_of
from unslant.reports.results import better_of, comparable, drawn_on_axis, main_tests, of_role

_CHANCE = 0.5
_NEAR_CHANCE = 0.55


def compared_answer(record: Record) -> tuple[str, str, str]:
    """The change, what remains, the change in quality, and what was compared."""
    bias = comparable(of_role(record, "test", "concept"))
    quality = comparable(of_role(record, "quality"))
    changed = " ".join(_changed(record, bias))
    return (
        changed or "No measure of bias used the same words in both, so nothing can be compared.",
        " ".join([*_remains(record, bias), *_quality(quality), ONLY_THESE]),
        " ".join([*_account(record, len(bias) + len(quality)), *gaps(record)]),
    )


def _changed(record: Record, bias: Sequence[Result]) -> Iterator[str]:
    main = main_tests(record)
    tests = [result for result in bias if result in main]
    if tests:
        result = max(tests, key=lambda item: abs(_before(item)))
        assert result.before is not None
        pairs = pairs_of(record, result.before) or f"“{result.now.title}”"
        after = f" after {record.treatment.expression}" if record.treatment else ""
        sure = _change(result, 2)
        yield (
            f"The strongest association before ({pairs}) went {_from_to(result, 2)}{after}"
            f"{f'; {sure}' if sure else ''}."
        )
    lean = next((item for item in bias if drawn_on_axis(record, item.now)), None)
    if lean is not None:
        among = f"“{lean.now.words[0].set}”" if lean.now.words else "the words"
        yield f"The mean lean of {among} went {_from_to(lean, 3)}."


def _remains(record: Record, bias: Sequence[Result]) -> Iterator[str]:
    """What classifiers and clusters still recover: shares that are 0.5 by chance.

    Shares of an association test, such as of its analogies, say nothing about recovering.
    """
    tests = of_role(record, "test")
    found = [
        item
        for item in bias
        if (better := better_of(item.now))
        and better.goal == _CHANCE
        and item.now.value is not None
        and item not in tests
    ]
    for is_left, lead in ((True, "Bias can still be recovered"), (False, "No longer recovered")):
        said = [
            f"“{item.now.title}” {percent(item.now.value or 0)} ({percent(_before(item))} before)"
            for item in found
            if ((item.now.value or 0) >= _NEAR_CHANCE) == is_left
        ]
        if said:
            yield f"{lead} (50 % is chance): {'; '.join(said)}."


def _quality(quality: Sequence[Result]) -> Iterator[str]:
    by_metric: dict[str, list[Result]] = {}
    for item in quality:
        by_metric.setdefault(item.now.metric, []).append(item)
    said = []
    for metric, items in by_metric.items():
        before = sum(map(_before, items)) / len(items)
        now = sum(item.now.value or 0.0 for item in items) / len(items)
        said.append(f"{metric} from {number(before)} to {number(now)}")
    if said:
        yield f"Quality went: {', '.join(said)} (larger is better)."


def _account(record: Record, count: int) -> Iterator[str]:
    before = record.baseline.name if record.baseline else "the baseline"
    now = record.resource.name if record.resource else "the result"
    on = f"on {counted(count, 'measure')} of “{record.subject.title}”, using the same words"
    if record.treatment:
        yield f"{record.treatment.expression} was applied to {before}."
        yield f"We compared the result ({now}) with the original {on}."
    else:
        yield f"We compared {now} with {before} {on}."
    others = len(record.results) - count
    if others:
        yield (
            f"{counted(others, 'more measure')} used different words or "
            f"{'has' if others == 1 else 'have'} no value in one of them, so "
            f"{'it does' if others == 1 else 'they do'} not compare."
        )


def _before(result: Result) -> float:
    value = result.before.value if result.before else None
    return 0.0 if value is None else value


def _from_to(result: Result, digits: int) -> str:
    return f"from {wording.span(_before(result), result.now.value, digits)}"


def _change(result: Result, digits: int) -> str:
    change = result.change
    if change is None:
        return ""
    verdict = change_words(result.finding)
    said = [verdict] if verdict else []
    if change.interval:
        ends = wording.interval(change.interval, digits)
        said.append(f"{wording.level(change.interval.level)} of the change {ends}")
    return ", ".join(said)
