"""The results of a record as tables, the same for the terminal, the page, notebooks and the web.

A column that would be empty is left out, so a record without a baseline has no column for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from unslant.core import wording
from unslant.core.exhibits import Column, Examples, Table, Value
from unslant.core.finding import Outcome
from unslant.core.measurement import Interval, Measurement
from unslant.core.record import Control, Record, Result
from unslant.core.wording import number
from unslant.reports.leading import leading
from unslant.reports.results import (
    drawn_on_axis,
    furthest,
    main_tests,
    meaning_of,
    name_of,
    of_role,
    sides_of,
)

TERMINAL = (
    *("measure", "value", "interval", "bias", "before", "change", "verdict", "random", "p"),
    "holm",
)
WIDE_TERMINAL = ("measure", "value", "bar", *TERMINAL[2:])
NOW = ("measure", "value", "interval", "bias", "p", "holm")
COMPARED = ("measure", "before", "value", "change", "verdict", "random")
PAGE = (
    *("measure", "before", "value", "interval", "bias", "change", "verdict", "random", "p"),
    *("holm", "better", "note"),
)
MAIN = ("measure", "before", "value", "interval", "change", "finding")
DETAILS = ("measure", "expression", "p_random", "bh", "how_p", "carried", "words")
WEB = (
    *("measure", "before", "value", "interval", "bias", "change", "verdict", "random", "p"),
    *("better", "words", "comparable"),
)
SHORT = ("measure", "value", "interval", "before", "p", "better")
_LEADING, _LEADING_QUALITY = 6, 2
_NAMED = 2
_FURTHEST = 12
_OUTCOMES: Mapping[Outcome, str] = {
    "removed": "✓ removed",
    "reduced": "✓ reduced",
    "improved": "✓ improved",
    "kept": "= kept",
    "undecided": "undecided",
    "unclear": "no clear change",
    "mixed": "better and worse",
    "worse": "✗ worse",
    "lost": "✗ lost",
}
"""What became of a bias or a quality, with a mark for better, equal and worse."""


@dataclass(frozen=True)
class PrintedResult:
    """A result with what its numbers need to be printed."""

    record: Record
    result: Result
    digits: int

    @property
    def now(self) -> Measurement:
        """The measurements."""
        return self.result.now

    def verdict(self) -> str:
        """The change from before to now, with its mark."""
        outcome = self.result.finding.outcome if self.result.finding else None
        return _OUTCOMES[outcome] if outcome else ""

    def bias(self) -> str:
        """How strong the bias is for sure: ``strong``, ``≥ weak`` if more is probable."""
        finding = self.result.finding
        if finding is None or finding.level == "not judged":
            return ""
        return f"≥ {finding.level}" if finding.probable else finding.level

    def corrected(self, how: str) -> str:
        """The p-value after a correction for the number of tests."""
        found = self.result.corrected
        return wording.probability(getattr(found, how)) if found else ""

    def change(self) -> str:
        """The change with its interval; of a probe's scores in percent."""
        change = self.result.change
        if self.result.not_comparable:
            return "≠"
        if change is None or change.difference is None:
            return ""
        meaning = meaning_of(self.record, self.result.now)
        if meaning and meaning.role == "probe" and change.percent is not None:
            return _with_ends(change.percent, change.percent_interval, 1, " %")
        return _with_ends(change.difference, change.interval, self.digits, "")


def _with_ends(value: float, found: Interval | None, digits: int, unit: str) -> str:
    sign = "+" if round(value, digits) > 0 else ""
    ends = f" ({wording.interval(found, digits)})" if found else ""
    return f"{sign}{number(value, digits)}{unit}{ends}"


def results_table(
    record: Record,
    results: Sequence[Result],
    columns: Sequence[str],
    *,
    id: str = "results",
    title: str = "",
    caption: str = "",
    digits: int = 3,
    is_detail: bool = False,
) -> Table:
    """Results as rows under the chosen columns, without those that would be empty."""
    found = [PrintedResult(record, result, digits) for result in results]
    texts = {name: [_COLUMNS[name][2](item) for item in found] for name in columns}
    kept = [name for name in columns if any(texts[name])]
    labels = {name: _COLUMNS[name][0] for name in kept} | (
        _sides(record) if "before" in kept else {}
    )
    if any(result.control and result.control.instead for result in results):
        labels |= {"random": "control", "p_random": "p against control"}
    return Table(
        id=id,
        title=title,
        caption=caption,
        is_detail=is_detail,
        columns=tuple(
            Column(label=labels[name], digits=digits if _COLUMNS[name][1] else None)
            for name in kept
        ),
        rows=tuple(zip(*(texts[name] for name in kept), strict=True)),
    )


def main_table(record: Record) -> Table | None:
    """The few results that lead a report, before and now, if any are judged."""
    found = leading(record, _LEADING, _LEADING_QUALITY)
    title = "The main results" if len(found) < len(record.results) else ""
    return results_table(record, found, MAIN, id="main", title=title) if found else None


def _sides(record: Record) -> dict[str, str]:
    """The names of the two values of a comparison."""
    if record.treatment is None and record.baseline and record.resource:
        return {"before": record.baseline.name, "value": record.resource.name}
    return {"value": "after"}


def result_tables(record: Record, columns: Sequence[str]) -> Iterator[Table]:
    """A table for each role: the main tests first, then the concept, quality and probe scores.

    Results without a value are named in the caption with the reason, not in rows of NA.
    """
    main = main_tests(record)
    if main:
        meaning = meaning_of(record, main[0].now)
        yield results_table(
            record,
            with_value(main),
            columns,
            id="tests",
            title=f"Association tests ({wording.called(main[0].now.metric)})",
            caption=" ".join([*([meaning.summary] if meaning else []), *without_value(main)]),
            digits=2,
        )
    others = [result for result in of_role(record, "test") if result not in main]
    count = len({result.now.metric for result in others})
    unexplained = [item for item in record.results if item.now.metric not in record.glossary]
    for id, title, caption, results in (
        ("probe", "Scores", "", of_role(record, "probe")),
        ("more-tests", f"The same tests by {wording.counted(count, 'other measure')}", "", others),
        ("concept", "Measures of the concept", "", of_role(record, "concept")),
        ("quality", "Quality of the vectors", "Larger is better.", of_role(record, "quality")),
        ("other", "Results", "", unexplained),
    ):
        if results:
            yield results_table(
                record,
                with_value(results),
                columns,
                id=id,
                title=title,
                caption=" ".join(part for part in (caption, *without_value(results)) if part),
                is_detail=id == "more-tests",
            )


def with_value(results: Sequence[Result]) -> Sequence[Result]:
    """The results that have a value, or all of them if none has."""
    return [result for result in results if result.now.value is not None] or results


def without_value(results: Sequence[Result]) -> Iterator[str]:
    """A sentence for each reason why results have no value, with their names."""
    reasons: dict[str, list[str]] = {}
    for result in results:
        if result.now.value is None:
            reasons.setdefault(result.now.why_undefined.rstrip("."), []).append(result.now.title)
    for reason, titles in reasons.items():
        yield f"Could not be measured: {'; '.join(titles)}. The reason: {reason}."


def furthest_tables(record: Record, count: int = _FURTHEST) -> Iterator[Table]:
    """For each result along an axis, the words furthest to either side."""
    for item in (result.now for result in record.results):
        drawing = drawn_on_axis(record, item)
        sides = sides_of(item, drawing) if drawing else None
        if drawing is None or sides is None:
            continue
        positive, negative = furthest(item, drawing, count)
        if positive or negative:
            along = item.details.get(drawing.along)
            yield Table(
                id="furthest",
                title=f"{item.title}: words furthest to either side",
                caption=f"{wording.named(drawing.x).capitalize()} on {along}." if along else "",
                columns=tuple(
                    column
                    for side in sides
                    for column in (
                        Column(label=f"toward {side}"),
                        Column(label=wording.named(drawing.x), digits=3),
                    )
                ),
                rows=tuple(_side_by_side(positive, negative)),
                is_detail=True,
            )


def _side_by_side(
    left: Sequence[tuple[str, float]], right: Sequence[tuple[str, float]]
) -> Iterator[tuple[Value, ...]]:
    for place in range(max(len(left), len(right))):
        yield tuple(
            part
            for side in (left, right)
            for part in (side[place] if place < len(side) else ("", ""))
        )


def table_of_examples(examples: Examples) -> Table:
    """Telling cases as a table."""
    right = {case.right for case in examples.cases}
    has_right = len(right) > 1
    said = f" The right answer is always {min(right)}." if len(right) == 1 and any(right) else ""
    return Table(
        id=examples.id,
        title=examples.title,
        caption=f"{examples.caption}{said}",
        when=examples.when,
        columns=(
            *(Column(label=label) for label in examples.texts),
            *(Column(label=label, digits=2) for label in examples.numbers),
            *([Column(label="right answer")] if has_right else []),
        ),
        rows=tuple(
            (*case.texts, *case.numbers, *([case.right] if has_right else []))
            for case in examples.cases
        ),
        first=len(examples.cases),
    )


def exhibit_tables(record: Record) -> Iterator[Table]:
    """The exhibits that are tables in every view; the others are figures."""
    for exhibit in record.exhibits:
        if isinstance(exhibit, Examples):
            yield table_of_examples(exhibit)
        elif isinstance(exhibit, Table):
            yield exhibit


def _bar(it: PrintedResult, width: int = 5) -> str:
    """The value of an association test as a bar from the middle, the longest for the largest."""
    metric, value = it.result.now.metric, it.result.now.value or 0.0
    tests = (item.now for item in of_role(it.record, "test") if item.now.metric == metric)
    largest = max((abs(item.value or 0.0) for item in tests), default=0.0)
    if not largest:
        return ""
    bar = "█" * round(abs(value) / largest * width)
    left, right = (bar, "") if value < 0 else ("", bar)
    return f"{left:>{width}}│{right:<{width}}"


def _before(it: PrintedResult) -> str:
    if it.result.before is None:
        return "–" if it.record.baseline else ""
    mark = " ≠" if it.result.not_comparable else ""
    return f"{number(it.result.before.value, it.digits)}{mark}"


def _random(it: PrintedResult) -> str:
    control = it.result.control
    if control is None:
        return ""
    spread = f" ± {number(control.sd, it.digits)}" if control.sd is not None else ""
    return f"{number(control.mean, it.digits)}{spread}"


def _p(found: Measurement | Control | None) -> str:
    return wording.p_value(found.p) if found and found.p else ""


def _carried(it: PrintedResult) -> str:
    return ", ".join(
        f"{item['word']} ({number(float(item['without']), it.digits)})"
        for item in it.result.now.influence[:_NAMED]
    )


def _finding(it: PrintedResult) -> str:
    found = it.result.finding
    if found is None:
        return ""
    level = "" if found.level == "not judged" else found.level
    changed = "change undecided" if found.outcome == "undecided" else found.outcome
    return f"{changed}, now {level}" if changed and level else changed or level


def _comparable(it: PrintedResult) -> str:
    if it.record.baseline is None:
        return ""
    if it.result.before is None:
        return "not measured before"
    return f"≠ {it.result.not_comparable}" if it.result.not_comparable else ""


def _note(it: PrintedResult) -> str:
    now = it.result.now
    reason = [f"No value: {now.why_undefined}."] if now.value is None else []
    return " ".join([*reason, *now.warnings])


_COLUMNS: Mapping[str, tuple[str, bool, Callable[[PrintedResult], str]]] = {
    "measure": ("measure", False, lambda it: name_of(it.record, it.now)),
    "expression": ("expression", False, lambda it: str(it.now.parameters.get("expression", ""))),
    "value": ("value", True, lambda it: number(it.now.value, it.digits)),
    "interval": ("95 % interval", True, lambda it: wording.interval(it.now.interval, it.digits)),
    "bar": ("", False, _bar),
    "before": ("before", True, _before),
    "change": ("change", True, PrintedResult.change),
    "bias": ("bias", False, PrintedResult.bias),
    "verdict": ("verdict", False, PrintedResult.verdict),
    "random": ("random", True, _random),
    "p_random": ("p against random", True, lambda it: _p(it.result.control)),
    "p": ("p", True, lambda it: _p(it.now)),
    "holm": ("Holm", True, lambda it: it.corrected("holm")),
    "bh": ("B–H", True, lambda it: it.corrected("benjamini_hochberg")),
    "how_p": ("p computed from", False, lambda it: wording.how_p(it.now.p)),
    "carried": ("most influential words (value without each)", False, _carried),
    "finding": ("finding", False, _finding),
    "better": ("better", False, lambda it: it.now.better),
    "words": ("words", True, lambda it: wording.words_used(it.now.words)),
    "comparable": ("comparable", False, _comparable),
    "note": ("note", False, _note),
}
"""For each column its heading, whether it holds numbers, and what it shows of a result."""
