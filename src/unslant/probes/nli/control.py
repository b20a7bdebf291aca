"""Does debiasing do more than removing any direction would?"""

from collections.abc import Sequence

import numpy as np

from unslant.core.better import Better
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.measurement import Measurement, PValue
from unslant.numerics.crossed_bootstrap import Array
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.change import refuse_other_set
from unslant.probes.nli.measure import Measure
from unslant.probes.nli.records import interval_of, stamped
from unslant.probes.nli.resampling import Resampled, resampled

UNCOUNTED = "the measure counts no pair of this set"
_TOLERANCE = 1e-12


def against_controls(
    measures: Sequence[Measure],
    answers: Answers,
    controls: Sequence[Answers],
    *,
    seed: int = 0,
    resamples: int = 1_000,
    progress: Progress | None = None,
) -> list[Measurement]:
    """Measures of debiased answers beside those where random directions were removed.

    The value is that of the debiased answers; the details give the mean and the standard
    deviation over the controls and how many of these deviations lie between. p is the share of
    the controls, the debiased answers counted in, that are at least as good; with eight controls
    it cannot be below 1/9.
    """
    if not controls:
        raise UnslantError("A control needs the answers of at least one random direction.")
    for control in controls:
        refuse_other_set(answers, control)
    found = resampled(measures, answers, seed=seed, resamples=resamples, progress=progress)
    values = np.array(
        [
            [result.value for result in resampled(measures, control, seed=seed, resamples=0)]
            for control in controls
        ]
    )
    return [
        stamped(
            _record(measure, mine, values[:, place]),
            measure,
            answers,
            seed=seed,
            resamples=resamples,
        )
        for place, (measure, mine) in enumerate(zip(measures, found, strict=True))
    ]


def _record(measure: Measure, mine: Resampled, controls: Array) -> Measurement:
    is_defined = bool(np.isfinite(mine.value) and np.isfinite(controls).all())
    return Measurement(
        metric=f"{measure.name}-control",
        title=f"{measure.title}, against random directions",
        value=mine.value if is_defined else None,
        why_undefined="" if is_defined else measure.why_undefined or UNCOUNTED,
        interval=interval_of(mine.both) if is_defined else None,
        p=_p_value(mine.value, controls, measure.better) if is_defined else None,
        details=_details(mine.value, controls) if is_defined else {},
        points=_points(controls) if is_defined else (),
        parameters={"controls": len(controls)},
    )


def _points(controls: Array) -> tuple[dict[str, float | str], ...]:
    return tuple({"control": n, "value": value} for n, value in enumerate(controls.tolist(), 1))


def _details(value: float, controls: Array) -> dict[str, float | int | str | None]:
    mean = float(controls.mean())
    spread = float(controls.std(ddof=1)) if len(controls) > 1 else None
    # Controls that differ by rounding only have no spread to measure with.
    is_spread = spread is not None and spread > _TOLERANCE * max(1.0, abs(mean))
    return {
        "controls": len(controls),
        "mean of the controls": mean,
        "standard deviation of the controls": spread,
        "deviations from the controls": (value - mean) / spread if is_spread and spread else None,
        "controls below": int((controls < value).sum()),
        "controls above": int((controls > value).sum()),
    }


def _p_value(value: float, controls: Array, better: str) -> PValue:
    """How often a random direction does at least as well."""
    side = Better.of(better)
    most = side.gap(value) + _TOLERANCE * max(1.0, abs(value))
    as_good = sum(side.gap(control) <= most for control in controls.tolist())
    return PValue(
        value=(as_good + 1) / (len(controls) + 1),
        how="monte carlo",
        alternative={"larger": "greater", "smaller": "less"}.get(better, better),
        outcomes=len(controls) + 1,
    )
