"""One sentence for a whole record: in how many results a bias is shown, and how strong it is."""

from collections.abc import Sequence

from unslant.core.better import better_side
from unslant.core.finding import SHOWN, SIZES, Conclusion, Level
from unslant.core.record import Record, Result
from unslant.core.verdicts.whole_change import BiasChange, bias_change, quality_change
from unslant.core.wording import UNDECIDED, level_text

_ORDER: tuple[Level, ...] = ("not judged", "undecided", "shown", *SIZES)


def conclusion_of(record: Record) -> Conclusion:
    """The conclusion from all findings of a record."""
    tests, others = _parts(record)
    counted = [*tests, *others]
    shown = [result for result in counted if _level(result) in SHOWN]
    parts = [_now(record, tests, others)]
    bias, quality = BiasChange(None, ""), None
    if record.baseline:
        bias = bias_change(record)
        quality, kept = quality_change(record)
        parts = [kept, *parts] if _is_about_quality(record) else [bias.sentence, *parts, kept]
    level = _level(strongest(shown)) if shown else "undecided" if counted else "not judged"
    if record.doubt:
        parts = [f"{UNDECIDED}: {record.doubt}, so these results do not answer how biased it is."]
    return Conclusion(
        level="undecided" if record.doubt else level,
        sentence=" ".join(parts),
        shown=len(shown),
        judged=len(counted),
        outcome="undecided" if record.doubt and bias.outcome else bias.outcome,
        quality=quality,
        removed=bias.shares.method if bias.shares else None,
        removed_by_chance=bias.shares.most if bias.shares and bias.shares.controls else None,
    )


def _is_about_quality(record: Record) -> bool:
    """Whether no result is about bias."""
    meanings = [record.glossary.get(result.now.metric) for result in record.results]
    return bool(meanings) and all(each and each.tells == "quality" for each in meanings)


def strongest(results: Sequence[Result]) -> Result:
    """The result whose bias is surely the strongest; among equals, the one furthest from ideal."""
    return max(results, key=_rank)


def _rank(result: Result) -> tuple[int, int, float]:
    finding, better = result.finding, better_side(result.now.better)
    assert finding is not None, "only judged results are ranked"
    value = result.now.value or 0.0
    gap = better.gap(value) if better else abs(value)
    return _place(finding.level), _place(finding.probable or finding.level), gap


def _place(level: Level) -> int:
    return _ORDER.index(level)


def _level(result: Result) -> Level:
    assert result.finding is not None, "only judged results have a level"
    return result.finding.level


def _parts(record: Record) -> tuple[list[Result], list[Result]]:
    """The results to judge: association tests by their first measure, and the rest.

    Other measures of the same tests would count the same bias again.
    """
    known = [result for result in record.results if _level(result) != "not judged"]
    roles = {name: meaning.role for name, meaning in record.glossary.items()}
    on_tests = [result for result in known if roles.get(result.now.metric) == "test"]
    tests = [result for result in on_tests if result.now.metric == on_tests[0].now.metric]
    return tests, [result for result in known if roles.get(result.now.metric) != "test"]


def _now(record: Record, tests: Sequence[Result], others: Sequence[Result]) -> str:
    """In how many tests and other measures a bias is shown."""
    subject = record.subject
    of = f"of “{subject.name if subject.kind == 'concept' else subject.title}”"
    found = tests or others
    if _is_about_quality(record):
        return "Bias was not measured."
    if not found:
        return f"{UNDECIDED}: no result {of} can be judged."
    noun = "association test" if tests else "measure" if record.about == "audit" else "score"
    said = _shown(found, noun, of, "still " if record.baseline else "")
    if not tests or not others:
        return said
    shown = [result for result in others if _level(result) in SHOWN]
    more = f"{len(others)} other {'measure' if len(others) == 1 else 'measures'} that can be judged"
    if not shown:
        return f"{said} None of {more} shows bias."
    does = "shows" if len(shown) == 1 else "show"
    where = _named(shown)
    return f"{said} Of {more}, {len(shown)} {does} bias, {where}."


def _named(shown: Sequence[Result]) -> str:
    """Where a bias is shown, or where the strongest is."""
    most = strongest(shown)
    assert most.finding is not None
    where = "strongest in" if len(shown) > 1 else "in"
    return f"{where} “{most.now.title or most.now.metric}” ({level_text(most.finding)})"


def _shown(found: Sequence[Result], noun: str, of: str, still: str) -> str:
    shown = [result for result in found if _level(result) in SHOWN]
    if not shown:
        if len(found) > 1:
            return f"{UNDECIDED}: none of {len(found)} {noun}s {of} shows a bias or rules one out."
        return f"{UNDECIDED}: the only {noun} {of} neither shows a bias nor rules one out."
    if len(found) == 1:
        named = _named(shown).removeprefix("in ")
        return f"Bias is {still}shown in the only {noun} {of}, {named}."
    return f"Bias is {still}shown in {len(shown)} of {len(found)} {noun}s {of}, {_named(shown)}."
