"""The single-category association test: each word separately."""

from typing import Annotated, Literal

import numpy as np

from unslant.concepts import AssociationTest
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import Range, Score, toward
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import cosines, one_of, refuse_overlap, sets_of, two_of
from unslant.metrics.uncertainty import over_words, split_p_value
from unslant.metrics.weat import SMALLEST_SPREAD
from unslant.numerics.bootstrap import Indices
from unslant.numerics.permutation import benjamini_hochberg
from unslant.vectors import Space


@metric(
    "sc-weat",
    cites="caliskan-2017",
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(0),
        range=Range(-2, 2, "about −2 to 2"),
        misleads="A mean near 0 can hide words that lean strongly to both sides: check the words."
        " Few attribute words give large values by chance.",
    ),
)
class SingleCategoryWeat:
    """How strongly does each word in one set associate with the first attributes?

        d(w) = (mean cos(w, A1) − mean cos(w, A2)) / sd of cos(w, x) over x ∈ A1 ∪ A2
        value = mean of d(w) over the target words w

    Also known as WEFAT. The words are those of ``target``, by default the first target set. Every
    word has a permutation p-value over splits of the attributes, adjusted over the words by
    Benjamini and Hochberg.
    """

    target: str = ""
    ddof: Literal[0, 1] = 1
    resamples: Annotated[int, at_least(1)] = 20_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The mean effect size over the words, and that of each word."""
        a1, a2 = two_of(subject, "attributes", "SC-WEAT")
        target = one_of(subject, self.target)
        sets = sets_of(space, subject, setting)
        refuse_overlap(sets, a1, a2)
        first, second = cosines(sets, target, a1), cosines(sets, target, a2)
        purpose = f"sc-weat {target} {subject.content_hash}"

        def mean_effect(samples: tuple[Indices, ...]) -> Array:
            rows, j1, j2 = samples
            effects = _effects(first[:, j1], second[:, j2], self.ddof)
            return np.asarray(np.take_along_axis(effects.T, rows, axis=1).mean(axis=1))

        effects = _effects(first, second, self.ddof)
        names = (target, a1, a2)
        if not np.isfinite(effects).all():
            word = sets.words(target)[int(np.flatnonzero(~np.isfinite(effects))[0])]
            why = f'"{word}" has the same cosine with every attribute word'
            return Measurement.undefined(why, title=subject.title, words=sets.uses)
        if setting.values_only:
            return Measurement(value=float(effects.mean()), words=sets.uses)
        p_values = [
            split_p_value(row1, row2, alternative="two-sided", resamples=self.resamples,
                          seed=self.seed, purpose=f"{purpose} {word}", relative_error=0.02).value
            for word, row1, row2 in zip(sets.words(target), first, second, strict=True)
        ]  # fmt: skip
        adjusted = benjamini_hochberg(p_values)
        measurement = Measurement(
            title=f"{subject.title}: {target}",
            value=float(effects.mean()),
            details={
                "mean-size-of-the-effect": float(np.abs(effects).mean()),
                "words-with-adjusted-p-of-at-most-.05": int((adjusted <= 0.05).sum()),
            },
            words=sets.uses,
            points=tuple(
                {"word": word, "effect": float(effect), "p": float(p), "adjusted-p": float(q)}
                for word, effect, p, q in zip(
                    sets.words(target), effects, p_values, adjusted, strict=True
                )
            ),
        )
        return over_words(
            measurement,
            mean_effect,
            sets,
            names,
            seed=self.seed,
            purpose=purpose,
        )


def _effects(first: Array, second: Array, ddof: int) -> Array:
    """d_w along the last axis; NaN if all cosines are equal."""
    spread = np.concatenate([first, second], axis=-1).std(axis=-1, ddof=ddof)
    is_defined = spread > SMALLEST_SPREAD
    difference = first.mean(axis=-1) - second.mean(axis=-1)
    return np.where(is_defined, difference / np.where(is_defined, spread, 1.0), np.nan)
