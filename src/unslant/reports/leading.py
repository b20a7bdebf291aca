"""The results that a reader should see first: the strongest bias, then what became of quality."""

from collections.abc import Sequence

from unslant.core.measurement import Measurement
from unslant.core.record import Record, Result
from unslant.core.score import Scale
from unslant.reports.results import better_of, meaning_of

_QUALITY = ("kept", "lost", "improved", "unclear")


def leading(record: Record, most: int, quality: int = 0) -> list[Result]:
    """The judged results, strongest first, with a limit each for bias and quality.

    A result that has a value before is ordered by it, so that the strongest bias leads whether or
    not it was removed.
    """
    judged = [result for result in record.results if _is_bias(result)]
    kept = [result for result in record.results if _is_quality(result)]
    return [
        *sorted(judged, key=lambda result: reach(record, result), reverse=True)[:most],
        *kept[:quality],
    ]


def reach(record: Record, result: Result) -> tuple[float, float]:
    """How far a bias surely reaches and how far its value lies; what has no scale comes after."""
    scale = scale_of(record, result)
    if scale is None:
        return -1.0, 0.0
    item = result.before if result.before and result.before.value is not None else result.now
    span = span_of(item, scale)
    return span[0] if span else 0.0, place_of(item, scale)


def scale_of(record: Record, result: Result) -> Scale | None:
    """From which distance a result's bias is weak, moderate and strong, if that is known."""
    meaning = meaning_of(record, result.now)
    return meaning.scale if meaning and meaning.scale and meaning.scale.steps else None


def place_of(item: Measurement, scale: Scale) -> float:
    """The position of a value on the common scale: see ``position``."""
    better = better_of(item)
    if better is None or item.value is None:
        return 0.0
    return position(scale.steps or (), scale.distance(better, item.value))


def span_of(item: Measurement, scale: Scale) -> tuple[float, float] | None:
    """The position of its interval, from the nearest to the furthest distance."""
    better = better_of(item)
    if item.interval is None or better is None:
        return None
    low, high = scale.distances(better, item.interval.low, item.interval.high)
    return position(scale.steps or (), low), position(scale.steps or (), high)


def position(steps: Sequence[float], distance: float) -> float:
    """The position of a distance: 1 where weak begins, 2 moderate, 3 strong.

    Strong has no end, so it is compressed: any larger distance is nearer to 4, and none is there.

    >>> [round(position((0.2, 0.5, 0.8), d), 2) for d in (0, 0.1, 0.2, 0.65, 0.8, 1.12, 1.72, 8)]
    [0.0, 0.5, 1.0, 2.5, 3.0, 3.29, 3.53, 3.9]
    """
    begin = 0.0
    for place, end in enumerate(steps):
        if distance < end:
            return place + (distance - begin) / (end - begin)
        begin = end
    return len(steps) + 1 - steps[-1] / distance


def _is_bias(result: Result) -> bool:
    found = result.finding
    if found is None or result.now.value is None or found.outcome in _QUALITY:
        return False
    return found.level != "not judged" or found.outcome is not None


def _is_quality(result: Result) -> bool:
    return result.finding is not None and result.finding.outcome in _QUALITY
