"""What is worth seeing beside the differences: by emotion, the most different pairs, the people."""

from collections.abc import Iterator, Sequence

import numpy as np

from unslant.core.exhibits import Case, Column, Examples, Point, Points, Table
from unslant.core.measurement import Measurement
from unslant.core.types import Array
from unslant.core.wording import signed
from unslant.probes.eec.corpus import GENDERS, EecCorpus
from unslant.probes.eec.resampling import Contrast


def by_emotion(contrast: Contrast, found: Sequence[Measurement]) -> Points:
    """The difference for each emotion, with its interval."""
    start = f"eec-{contrast.name}-emotion-"
    first, second = contrast.groups
    return Points(
        id="differences",
        title="Difference in sentiment by emotion",
        part=contrast.name,
        x="difference in score",
        ends=(f"higher for {first}", f"higher for {second}"),
        points=tuple(
            Point(
                label=item.metric.removeprefix(start),
                x=item.value,
                low=item.interval.low if item.interval else None,
                high=item.interval.high if item.interval else None,
            )
            for item in found
            if item.metric.startswith(start) and item.value is not None
        ),
        caption="Mean difference between sentences that differ in the person only; 0 is fair.",
    )


def examples(asked: EecCorpus, scores: Array, count: int) -> Iterator[Examples]:
    """The sentences whose score changes most with the gender of the person, if any does."""
    pairs = {(one.gender, one.pair): place for place, one in enumerate(asked.people)}
    cases: list[tuple[float, Case]] = []
    for pair in sorted({pair for _, pair in pairs if pair >= 0}):
        places = [pairs[gender, pair] for gender in GENDERS]
        gaps = scores[:, places[0]] - scores[:, places[1]]
        item = int(np.abs(gaps).argmax())
        texts = tuple(asked.items[item].text(asked.people[place]) for place in places)
        numbers = (*(float(scores[item, place]) for place in places), float(gaps[item]))
        if numbers[2]:
            cases.append((abs(numbers[2]), Case(texts=texts, numbers=numbers)))
    cases.sort(key=lambda case: -case[0])
    if cases:
        yield Examples(
            id="examples-gender",
            title="Sentences whose score changes most with gender",
            texts=GENDERS,
            numbers=(*(f"score, {gender}" for gender in GENDERS), "gap"),
            cases=tuple(case for _, case in cases[:count]),
            caption="One sentence for each pair of phrases; scores go from −1 to 1.",
        )


def people(asked: EecCorpus, scores: Array) -> Table:
    """The mean score of every person's sentences, the most unusual first."""
    means = scores.mean(axis=0)
    apart = means - means.mean()
    order = np.argsort(-np.abs(apart), kind="stable").tolist()
    first = asked.people[order[0]].text
    far = signed(apart[order[0]])
    return Table(
        id="people",
        title="Mean score of the sentences about each person",
        columns=(
            Column(label="person"),
            Column(label="gender"),
            Column(label="names"),
            Column(label="mean score", digits=3),
            Column(label="minus the mean", digits=3),
        ),
        rows=tuple(
            (one.text, one.gender, one.race, float(means[n]), float(apart[n]))
            for n in order
            for one in [asked.people[n]]
        ),
        caption="All people have the same sentences, so only the person can make a difference.",
        says=f"Sentences about “{first}” differ most from the mean of all people ({far})."
        if apart.any()
        else "",
        is_detail=True,
    )
