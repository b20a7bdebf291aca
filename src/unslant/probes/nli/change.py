"""By how many percent a measure changed against the answers of a baseline."""

from collections.abc import Sequence

import numpy as np

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.measurement import Interval, Measurement
from unslant.numerics.crossed_bootstrap import Array, percentile_bounds
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.measure import Measure
from unslant.probes.nli.records import LEVEL, stamped
from unslant.probes.nli.resampling import Resampled, resampled

PAIRED = "percentile bootstrap over words and templates, the same resamples for both"


def changes(
    measures: Sequence[Measure],
    answers: Answers,
    baseline: Answers,
    *,
    seed: int = 0,
    resamples: int = 1_000,
    progress: Progress | None = None,
) -> list[Measurement]:
    """The change of each measure in percent of the baseline, with the interval of the change.

    Both are measured on the same resamples, so that what the words have in common cancels out:
    the interval is of the change, not of two values that would differ by chance. The plain
    difference and its interval are among the details.
    """
    refuse_other_set(answers, baseline)
    new, old = (
        resampled(measures, some, seed=seed, resamples=resamples, progress=progress)
        for some in (answers, baseline)
    )
    return [
        stamped(
            _record(measure, mine, theirs, baseline),
            measure,
            answers,
            seed=seed,
            resamples=resamples,
        )
        for measure, mine, theirs in zip(measures, new, old, strict=True)
    ]


def refuse_other_set(answers: Answers, other: Answers) -> None:
    """Refuse to compare answers to different questions."""
    if answers.set.content_hash != other.set.content_hash:
        raise UnslantError(
            f'These are answers to different sets: "{answers.set.name}" '
            f'({answers.set.content_hash[:12]}) and "{other.set.name}" '
            f"({other.set.content_hash[:12]}). Ask both models the same set."
        )


def _record(measure: Measure, mine: Resampled, theirs: Resampled, baseline: Answers) -> Measurement:
    new, old = mine.value, theirs.value
    percent = 100 * (new - old) / old if old else np.nan
    is_defined = bool(np.isfinite(percent))
    bounds = percentile_bounds(_percent(mine, theirs), LEVEL) if is_defined else None
    return Measurement(
        metric=f"{measure.name}-change",
        title=f"{measure.title}: change in percent",
        value=float(percent) if is_defined else None,
        why_undefined="" if is_defined else measure.why_undefined or _why(new, old),
        interval=Interval(low=bounds[0], high=bounds[1], level=LEVEL, how=PAIRED)
        if bounds
        else None,
        details=_details(mine, theirs),
        inputs={f"baseline {name}": value for name, value in baseline.inputs.items()},
    )


def _percent(mine: Resampled, theirs: Resampled) -> Array:
    difference, old = mine.both - theirs.both, theirs.both
    found = np.full(len(old), np.nan)
    np.divide(100 * difference, old, out=found, where=old != 0)
    return found


def _details(mine: Resampled, theirs: Resampled) -> dict[str, float | int | str | None]:
    found: dict[str, float | int | str | None] = {}
    if not np.isfinite(mine.value - theirs.value):
        return found
    found |= {"value": mine.value, "baseline value": theirs.value}
    found["difference"] = mine.value - theirs.value
    for over in ("both", "words", "templates"):
        bounds = percentile_bounds(getattr(mine, over) - getattr(theirs, over), LEVEL)
        name = "difference" if over == "both" else f"difference over {over}"
        if bounds:
            found[f"low of {name}"], found[f"high of {name}"] = bounds
    return found


def _why(new: float, old: float) -> str:
    if np.isfinite(new) and old == 0:
        return "the baseline's value is 0, and no change is a percentage of that"
    return "the measure counts no pair of this set"
