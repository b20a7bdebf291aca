"""Which setting of each level of a tree is best, and what each choice in it changes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.score import LARGER, Better, better_side
from unslant.core.study_record import BestByLevel, BestSetting, ChoiceEffect
from unslant.studies.answers.pivot import DONE, FAILED, MISSING, UNDEFINED, Row
from unslant.studies.plan.cells import TreeSetting

OTHERS = "no tree"
"""The level of methods that belong to no tree."""
EVERY = "every level"

Trees = Mapping[str, Sequence[TreeSetting]]


class _Group(NamedTuple):
    resource: str
    concept: str


Values = Mapping[str, float]
"""A measure's value by the label of the method, the mean over seeds."""


def best(
    rows: Sequence[Row],
    trees: Trees,
    *,
    by: str,
    report: str = "",
    better: Mapping[str, str] | None = None,
    keep: Mapping[str, float] | None = None,
) -> BestByLevel:
    """The best setting of each level by one measure, and the value of another to report.

    The best of many settings looks better than it is by the numbers it was chosen by, so what is
    reported should be measured on other items. The effect of a choice, such as of a weight, is the
    mean difference between settings that agree in every other choice.

    ``keep`` names measures of quality, each with the share of the original's value that a setting
    must have kept to be chosen: a model that has lost its ability often looks unbiased.

    Settings are chosen for each resource and concept that the measure is planned for. Those whose
    quality is not known are left out and named.
    """
    known = list(dict.fromkeys(row.measure for row in rows))
    for name in filter(None, (by, report, *(keep or ()))):
        if name not in known:
            raise UnknownNameError("measure of the study", name, known)
    way = _direction(rows, by, better or {})
    for name in keep or ():
        if (side := better_side(_stated(rows, name))) != LARGER:
            direction = side.text if side else "unknown"
            raise UnslantError(
                f'"{name}" is no quality of which a share can be kept: larger must be better, and '
                f"here that is {direction}."
            )
    groups = list(
        dict.fromkeys(_Group(row.resource, row.concept) for row in rows if row.measure == by)
    )
    unknown: list[str] = []
    settings: list[BestSetting] = []
    effects: list[ChoiceEffect] = []
    for group in groups:
        chosen, reported = _values(rows, group, by), _values(rows, group, report)
        original = _original(trees, chosen)
        qualities = {name: _values(rows, group, name) for name in keep or ()}
        lacking = [name for name, quality in qualities.items() if original not in quality]
        if lacking:
            unknown.append(_unknown(lacking[0], group))
            continue
        for name, share in (keep or {}).items():
            chosen = _kept(chosen, qualities[name], original, share)
        settings += _best_rows(group, trees, chosen, reported, original, way)
        effects += _effects(group, trees, chosen, way)
    if unknown and len(unknown) == len(groups):
        raise UnslantError(
            f"{unknown[0]}, so nothing says what a setting kept. Add the method original = "
            f'"" to the plan.'
        )
    return BestByLevel(
        by=by,
        direction=way.text,
        report=report,
        report_direction=_stated(rows, report),
        rows=tuple(settings),
        effects=tuple(effects),
        notes=(
            *_notes(rows, by, report),
            *_of_kept(keep or {}),
            *(f"{why}, so its settings are left out." for why in unknown),
        ),
    )


def _direction(rows: Sequence[Row], by: str, given: Mapping[str, str]) -> Better:
    text = given.get(by) or _stated(rows, by)
    side = better_side(text)
    if side is None:
        raise UnslantError(
            f'Which way is better for "{by}" is not known. Say it with [[better|--better]] '
            f'"{by}=smaller", '
            f"larger, or the number to be close to."
        )
    return side


def _stated(rows: Sequence[Row], measure: str) -> str:
    return next((row.better for row in rows if row.measure == measure and row.better), "")


def _values(rows: Iterable[Row], group: _Group, measure: str) -> dict[str, float]:
    """The mean over seeds, of methods that have them all."""
    lists: dict[str, list[float | None]] = {}
    for row in rows:
        if row.measure == measure and _Group(row.resource, row.concept) == group:
            lists.setdefault(row.method, []).append(row.value if row.state == DONE else None)
    return {
        method: float(np.mean([value for value in some if value is not None]))
        for method, some in lists.items()
        if None not in some
    }


def _original(trees: Trees, values: Values) -> str:
    """The label under which nothing was done, by its usual name."""
    inside = {setting.label for settings in trees.values() for setting in settings}
    outside = [method for method in values if method not in inside]
    return "original" if "original" in outside else ""


def _unknown(name: str, group: _Group) -> str:
    about = f"{group.resource} about {group.concept}"
    return f'"{name}" has no value for "original" of {about}'


def _kept(values: Values, quality: Values, original: str, share: float) -> dict[str, float]:
    """The settings that kept the share of the original's quality."""
    least = share * quality[original]
    return {key: value for key, value in values.items() if quality.get(key, -np.inf) >= least}


def _of_kept(keep: Mapping[str, float]) -> Iterator[str]:
    for name, share in keep.items():
        yield f'Only settings that kept {share:.0%} of the original\'s "{name}" were compared.'


def _best_rows(
    group: _Group,
    trees: Trees,
    values: Values,
    reported: Values,
    original: str,
    way: Better,
) -> Iterator[BestSetting]:
    levels: dict[str, list[str]] = {}
    inside: set[str] = set()
    for tree, settings in trees.items():
        for setting in settings:
            name = setting.level if len(trees) == 1 else f"{tree}: {setting.level}"
            inside.add(setting.label)
            if setting.label in values:
                levels.setdefault(name, []).append(setting.label)
    others = [method for method in values if method not in inside and method != original]
    if others:
        levels = {OTHERS: others, **levels}
    if original:
        levels = {original: [original], **levels}
    for level, methods in levels.items():
        winner = min(methods, key=lambda method: way.gap(values[method]))
        yield BestSetting(
            resource=group.resource,
            concept=group.concept,
            level=level,
            method=winner,
            settings=len(methods),
            value=values[winner],
            original=values.get(original),
            reported=reported.get(winner),
            reported_original=reported.get(original),
        )


def _effects(group: _Group, trees: Trees, values: Values, way: Better) -> Iterator[ChoiceEffect]:
    for settings in trees.values():
        done = {_key(setting): setting for setting in settings if setting.label in values}
        levels = list(dict.fromkeys(setting.level for setting in settings))
        for at, variable, first, second in _contrasts(settings):
            pairs: dict[str, list[tuple[float, float]]] = {}
            for setting in done.values():
                if _value(setting, at, variable) != first:
                    continue
                other = done.get(_key(setting, {(at, variable): second}))
                if other is not None:
                    pair = values[setting.label], values[other.label]
                    pairs.setdefault(setting.level, []).append(pair)
                    pairs.setdefault(EVERY, []).append(pair)
            for level in (EVERY, *levels):
                if some := pairs.get(level):
                    yield _effect(group, level, (at, variable, first, second), some, way)


def _effect(
    group: _Group,
    level: str,
    contrast: tuple[str, str, str, str],
    pairs: Sequence[tuple[float, float]],
    way: Better,
) -> ChoiceEffect:
    at, variable, first, second = contrast
    changes = [after - before for before, after in pairs]
    return ChoiceEffect(
        resource=group.resource,
        concept=group.concept,
        level=level,
        at=at,
        variable=variable,
        first=first,
        second=second,
        pairs=len(pairs),
        mean=float(np.mean(changes)),
        sd=float(np.std(changes, ddof=1)) if len(changes) > 1 else None,
        better=sum(way.gap(after) < way.gap(before) for before, after in pairs),
    )


def _contrasts(settings: Sequence[TreeSetting]) -> Iterator[tuple[str, str, str, str]]:
    """Each choice of a tree with its first value and each other one."""
    seen: dict[tuple[str, str], dict[str, None]] = {}
    for setting in settings:
        for choice in setting.choices:
            for variable, value in choice.values.items():
                seen.setdefault((choice.level, variable), {})[value] = None
    for (at, variable), values in seen.items():
        first, *others = values
        yield from ((at, variable, first, second) for second in others)


def _value(setting: TreeSetting, level: str, variable: str) -> str | None:
    for choice in setting.choices:
        if choice.level == level:
            return choice.values.get(variable)
    return None


def _key(
    setting: TreeSetting, changed: Mapping[tuple[str, str], str] | None = None
) -> tuple[object, ...]:
    """All choices of a setting, optionally with one of them changed."""
    changed = changed or {}
    return tuple(
        (choice.level, key, changed.get((choice.level, key), value))
        for choice in setting.choices
        for key, value in (choice.values or {"": ""}).items()
    )


def _notes(rows: Sequence[Row], by: str, report: str) -> Iterator[str]:
    if not report or report == by:
        yield (
            "The best of several settings looks better than it is by the numbers it was chosen by. "
            "Report a measure on other items with --report."
        )
    about = [row for row in rows if row.measure in (by, report)]
    lacking = [row for row in about if row.state in (FAILED, MISSING, UNDEFINED)]
    if lacking:
        yield (
            f"{len(lacking):,} of {len(about):,} numbers are missing, failed or undefined, the "
            f"first for {lacking[0].method}; their settings are left out."
        )
