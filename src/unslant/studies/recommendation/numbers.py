"""From the cells of a study to the shares that a recommendation is based on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unslant.core.record import LeftOut
from unslant.core.score import Better, Range
from unslant.core.types import Array
from unslant.measures.registry import meaning, measure_giving
from unslant.studies.recommendation.choice import Estimate, Option
from unslant.studies.run.contents import FoundCell

ORIGINAL = "original"
DOWNSTREAM = "downstream"


@dataclass(frozen=True, kw_only=True)
class MeasureColumn:
    """One measure: its kind, which way is better, and where its values end."""

    label: str
    kind: str
    better: Better
    range: Range
    is_quality: bool
    is_evidence: bool = False

    def gap(self, values: Array) -> Array:
        """How far values are from the best one; at least 0 for anything within the range."""
        if self.better.has_goal:
            return np.abs(values - self.better.goal)
        best = self.range.high if self.better.goal > 0 else self.range.low
        return np.abs(best - values)

    def share(self, now: Array, before: Array) -> Array:
        """The share of the gap that is gone, or of the quality that is left.

        A bias that is more than doubled counts as −1, and a quality that has risen as 1: a gain
        in one measure does not make up for a loss in another.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.is_quality:
                kept = np.minimum(now / before, 1.0)
            else:
                kept = np.clip(1 - self.gap(now) / self.gap(before), -1.0, 1.0)
        return np.asarray(kept)


@dataclass(kw_only=True)
class Numbers:
    """The complete options, and the missing numbers of the others."""

    options: list[Option] = field(default_factory=list)
    controls: list[Option] = field(default_factory=list)
    measures: list[MeasureColumn] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def shows_bias(self) -> bool:
        """Whether the original vectors are biased by a measure that could have found none.

        Clusters and recoverability are about the words that lean most along a direction, and
        some words lean most along any; a mean size of differences is above 0 by chance alone.
        """
        return any(item.is_evidence for item in self.measures)


def numbers_of(
    cells: Sequence[FoundCell],
    expressions: Mapping[str, str],
    costs: Mapping[str, int],
    controls: Iterable[str],
    *,
    dim: int,
) -> Numbers:
    """The options by method, in the order of the study; ``controls`` are labels of methods.

    ``dim`` is that of the vectors.
    """
    numbers = Numbers()
    results = {(str(cell.label[1]), str(cell.label[2])): cell for cell in cells}
    methods = list(dict.fromkeys(method for method, _ in results))
    for label in dict.fromkeys(measure for _, measure in results):
        column = _column(label, results[ORIGINAL, label], dim, numbers.left_out)
        if column is not None:
            numbers.measures.append(column)
    if all(column.is_quality for column in numbers.measures):
        return numbers
    for method in methods:
        if method == ORIGINAL:
            continue
        option = _option(method, numbers, results, expressions[method], costs.get(method, 0))
        if option is not None:
            (numbers.controls if method in controls else numbers.options).append(option)
    return numbers


def _column(label: str, cell: FoundCell, dim: int, left_out: list[LeftOut]) -> MeasureColumn | None:
    """A measure, if the original has a value and, for a bias, one to be removed."""
    if cell.result is None:
        why = cell.failure.message if cell.failure else "it was not computed"
        left_out.append(LeftOut(what=label, why=why))
        return None
    record = cell.result["measurement"]
    name, value = record["metric"], record["value"]
    if value is None:
        left_out.append(LeftOut(what=label, why=record["why_undefined"]))
        return None
    entry = measure_giving(name)
    score = entry.facts.score(name)
    column = MeasureColumn(
        label=label,
        kind=DOWNSTREAM if entry.facts.is_probe else entry.name,
        better=score.better,
        range=score.range,
        is_quality=meaning(name).role == "quality",
    )
    if column.is_quality:
        if value <= 0:
            left_out.append(LeftOut(what=label, why=f"there is nothing to keep: it is {value:.3g}"))
            return None
        return column
    ends, chance = record["interval"], _chance(record, dim)
    none = score.better.goal if chance is None else chance
    is_tested = bool(ends) and np.isfinite(none) and entry.name not in _LEANING
    if chance is None and is_tested and ends["low"] <= none <= ends["high"]:
        why = "the original vectors show no bias by it, so there is none to remove"
    elif chance is not None and (ends["low"] if ends else value) <= chance:
        why = f"the original vectors show no more bias by it than chance would ({chance:.3g})"
    elif float(column.gap(np.array(float(value)))) == 0:
        why = "the original vectors have no bias by it"
    else:
        return replace(column, is_evidence=is_tested)
    left_out.append(LeftOut(what=label, why=why))
    return None


_LEANING = ("clustering", "recoverability")


def _chance(record: Mapping[str, Any], dim: int) -> float | None:
    """The value for random vectors of a measure that is never 0, if known.

    Two random directions have a mean |cosine| of √(2/πd).
    """
    is_mean = record["metric"] == "direct-bias" and record.get("parameters", {}).get("c", 1) == 1
    return float(np.sqrt(2 / (np.pi * dim))) if is_mean else None


def _option(
    method: str,
    found: Numbers,
    results: Mapping[tuple[str, str], FoundCell],
    expression: str,
    cost: int,
) -> Option | None:
    shares: dict[str, Estimate] = {}
    verdicts: dict[str, str] = {}
    for column in found.measures:
        cell = results[method, column.label]
        pair = _pair(cell, results[ORIGINAL, column.label])
        if pair is None:
            found.left_out.append(LeftOut(what=method, why=f"{column.label}: {_why(cell)}"))
            return None
        shares[column.label] = _estimate(column, pair)
        verdicts[column.label] = pair["verdict"]
    biases = [column for column in found.measures if not column.is_quality]
    return Option(
        method=method,
        expression=expression,
        cost=cost,
        removed={item.label: shares[item.label] for item in biases},
        kept={item.label: shares[item.label] for item in found.measures if item.is_quality},
        kinds={item.label: item.kind for item in biases},
        better=frozenset(item.label for item in biases if _is(item, "better", verdicts, shares)),
        worse=frozenset(item.label for item in biases if _is(item, "worse", verdicts, shares)),
        downstream=frozenset(item.label for item in biases if item.kind == DOWNSTREAM),
    )


def _is(
    column: MeasureColumn, verdict: str, verdicts: Mapping[str, str], shares: Mapping[str, Estimate]
) -> bool:
    """Whether a change is clear; without resamples, whether a tenth of the bias came or went."""
    if verdicts[column.label] != "unknown":
        return verdicts[column.label] == verdict
    value = shares[column.label].value
    return value > _TENTH if verdict == "better" else value < -_TENTH


_TENTH = 0.1


def _pair(cell: FoundCell, original: FoundCell) -> dict[str, Any] | None:
    """A value with the one before and their common resamples."""
    if cell.result is None or cell.result["measurement"]["value"] is None:
        return None
    assert original.result is not None, "such measures are left out"
    before = original.result["measurement"]["value"]
    kept = cell.result.get("paired") or {"verdict": "unknown", "draws": [], "draws_before": []}
    return {**kept, "now": cell.result["measurement"]["value"], "before": before}


def _estimate(column: MeasureColumn, pair: Mapping[str, Any]) -> Estimate:
    value = float(column.share(np.array(float(pair["now"])), np.array(float(pair["before"]))))
    now, before = (np.array(pair[key], dtype=float) for key in ("draws", "draws_before"))
    if not len(now):
        return Estimate(value)
    draws = column.share(now, before)
    return Estimate(value, np.where(np.isfinite(draws), draws, value))


def _why(cell: FoundCell) -> str:
    if cell.result is not None:
        return str(cell.result["measurement"]["why_undefined"])
    return cell.failure.message if cell.failure else "it was not computed"
