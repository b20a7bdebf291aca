"""What is worth seeing beside the scores of sentence pairs."""

from collections.abc import Iterator, Sequence

import numpy as np

from unslant.core.exhibits import Case, Examples, Exhibit, Point, Points
from unslant.core.measurement import Measurement
from unslant.probes.likelihood.asking import PairAnswers
from unslant.probes.likelihood.pair_sets import PairSet


def exhibits(
    name: str, found: Sequence[Measurement], asked: PairSet, answers: PairAnswers, count: int
) -> Iterator[Exhibit]:
    """The excess by kind of bias, and the pairs that exceed their controls most."""
    start = f"{name}-excess-type-" if answers.controls.shape[1] else f"{name}-type-"
    points = tuple(
        Point(
            label=item.metric.removeprefix(start),
            x=item.value - (0 if "excess" in start else 50),
            low=None if item.interval is None else item.interval.low - _shift(start),
            high=None if item.interval is None else item.interval.high - _shift(start),
        )
        for item in found
        if item.metric.startswith(start) and item.value is not None
    )
    if points:
        controlled = "over the controls" if "excess" in start else "above 50 %"
        yield Points(
            id="kinds",
            title=f"Preference for stereotypes {controlled}, by kind of bias",
            x="points",
            ends=("prefers stereotypes", "prefers the opposite"),
            points=points,
            caption="0 is fair. A share of pairs, in points of 100, with 95 % intervals.",
        )
    if answers.is_constant:
        return
    has_controls = bool(answers.controls.shape[1])
    gaps = answers.differences
    if has_controls:
        contrasts = answers.contrasts
        gaps = contrasts.controlled(contrasts.fitted(np.ones((1, len(asked))))[0])[0]
    order = np.argsort(-gaps, kind="stable")[:count].tolist()
    yield Examples(
        id="pairs",
        title="Pairs in which the stereotype is preferred most",
        texts=("more stereotyped", "less stereotyped"),
        numbers=("log-odds", "controlled") if has_controls else ("log-odds",),
        cases=tuple(
            Case(
                texts=(asked.pairs[place].more, asked.pairs[place].less),
                numbers=(float(answers.differences[place]), float(gaps[place]))
                if has_controls
                else (float(gaps[place]),),
            )
            for place in order
        ),
        caption="Natural logarithms: 1 means that the first sentence is 2.7 times as likely.",
    )


def _shift(start: str) -> float:
    return 0.0 if "excess" in start else 50.0
