"""The Contextualized Embedding Association Test: WEAT over random contexts, combined."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Literal

import numpy as np

from unslant.concepts import AssociationTest, WordSets
from unslant.core.errors import UndefinedMeasureError
from unslant.core.example import Example
from unslant.core.measurement import Interval, Measurement, PValue
from unslant.core.parameters import at_least
from unslant.core.score import EFFECT_SIZE, Range, Score, toward
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.associations import refuse_overlap, sets_of, two_of
from unslant.metrics.in_contexts import InContexts, in_contexts
from unslant.metrics.uncertainty import LEVEL, over_words, split_p_value
from unslant.metrics.weat import SMALLEST_SPREAD, weights_of
from unslant.numerics.bootstrap import Indices, Statistic
from unslant.vectors import Space

# Random-effects meta-analysis (DerSimonian and Laird 1986).


@dataclass(frozen=True, eq=False)
class Combined:
    """The combined effect, the variance between studies, heterogeneity, and Σ w*.

    All have the leading shape of the effects.
    """

    effect: Array
    between: Array
    heterogeneity: Array
    weight: Array


def combined(effects: Array, variances: Array) -> Combined:
    """Effects (… × studies) with their sampling variances, combined along the last axis.

    w = 1/V; Q = Σ w d² − (Σ w d)² / Σ w; τ² = max(0, (Q − (N − 1)) / (Σ w − Σ w² / Σ w));
    w* = 1 / (V + τ²); the effect is Σ w* d / Σ w*. Its standard error √(1/Σ w*) holds only if the
    studies are independent.

    >>> found = combined(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    >>> float(found.effect), float(found.between), float(found.heterogeneity)
    (2.0, 1.0, 2.0)
    """
    w = 1 / variances
    total = w.sum(axis=-1)
    spread = (w * effects**2).sum(axis=-1) - (w * effects).sum(axis=-1) ** 2 / total
    excess = spread - (effects.shape[-1] - 1)
    scale = total - (w**2).sum(axis=-1) / total
    between = np.maximum(0.0, excess / np.where(scale > 0, scale, np.inf))
    star = 1 / (variances + between[..., None])
    weight = star.sum(axis=-1)
    return Combined((star * effects).sum(axis=-1) / weight, between, spread, weight)


_DRAWS_IN_AN_INTERVAL = 50
"""Draws whose mean is resampled: more change the interval by less than resampling does."""
_SMALLEST_P = 1e-300


@metric(
    "ceat",
    cites="guo-caliskan-2021",
    example=Example(of="MODEL@layer:-1[word]"),
    takes="test",
    needs=SPACE,
    score=Score(
        better=toward(0),
        range=Range(-2, 2, "about −2 to 2"),
        is_contrast=True,
        scale=EFFECT_SIZE,
        misleads="Draws of contexts are not independent studies, because they reuse the same "
        "words: the published standard error shrinks with the number of draws alone. Bleached "
        "templates are few and alike; real contexts also differ in topic and time.",
    ),
)
@dataclass(frozen=True, kw_only=True)
class Ceat:
    """The association of two target sets with two attribute sets, over random contexts.

        dᵢ = WEAT's effect size in draw i of N, with variance Vᵢ; wᵢ = 1/Vᵢ
        Q = Σ wᵢdᵢ² − (Σ wᵢdᵢ)² / Σ wᵢ
        τ² = max(0, (Q − (N − 1)) / (Σ wᵢ − Σ wᵢ² / Σ wᵢ))
        CES = Σ wᵢ*dᵢ / Σ wᵢ*, wᵢ* = 1/(Vᵢ + τ²)

    Each of ``draws`` picks one context of every word at random and computes WEAT's effect size d.
    They are combined by random effects (DerSimonian and Laird). Contexts are ``contexts``
    (templates, by name or file), or sentences of the text file ``corpus`` that contain the word,
    up to ``most`` of each.

    ``variance`` "hedges" weights a draw by the sampling variance of d, (n₁+n₂)/(n₁n₂) +
    d²/(2(n₁+n₂)); the interval resamples words, and p is a permutation test of the words' mean
    associations. "published" is the released code: V = sd², the spread of associations, which is
    no sampling variance; SE = √(1/Σw*) and a one-sided normal p as if draws were independent.
    """

    contexts: str = "bleached"
    corpus: str = ""
    most: Annotated[int, at_least(2)] = 100
    draws: Annotated[int, at_least(2)] = 1_000
    variance: Literal["hedges", "published"] = "hedges"
    resamples: Annotated[int, at_least(1)] = 100_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: AssociationTest, setting: Setting) -> Measurement:
        """The combined effect size with its p-value, interval and heterogeneity."""
        names = (*two_of(subject, "targets", "CEAT"), *two_of(subject, "attributes", "CEAT"))
        if subject.items == "sentences":
            raise UndefinedMeasureError(
                f"{subject} has sentences of its own. CEAT chooses sentences itself; measure a "
                f"test of words, such as caliskan/career-family."
            )
        sets = sets_of(space, subject, setting)
        refuse_overlap(sets, names[0], names[1])
        chosen = in_contexts(space, sets, names, setting.policy, self)
        sets, first = chosen.sets, chosen.sets.size(names[0])
        table = _associations(chosen, names, self._picked(chosen, self.draws))
        effects, spreads = _effects(table, first)
        is_there = np.isfinite(effects)
        if is_there.sum() < 2:
            return Measurement.undefined(
                "the target words all have the same association", words=sets.uses
            )
        effects, spreads = effects[is_there], spreads[is_there]
        effect = combined(effects, self._variances(effects, spreads, first, table.shape[1] - first))
        value = float(effect.effect)
        details: dict[str, float | int | str | None] = {
            "draws": len(effects),
            "variance-between-draws": float(effect.between),
            "heterogeneity-q": float(effect.heterogeneity),
            "spread-of-draws": float(effects.std(ddof=1)),
            "share-of-draws-above-0": float((effects > 0).mean()),
            "fewest-contexts": chosen.fewest,
            "contexts": chosen.name,
        }
        points = _points(sets, names[:2], table)
        if self.variance == "published":
            p, reach, warnings = _published(value, float(effect.weight))
            return Measurement(
                title=subject.title, value=value, p=p, interval=reach, warnings=warnings,
                details=details, words=sets.uses, points=points,
            )  # fmt: skip
        scores = table.mean(axis=0)
        purpose = f"ceat {subject.content_hash}"
        p = split_p_value(
            scores[:first],
            scores[first:],
            alternative="two-sided",
            resamples=self.resamples,
            seed=self.seed,
            purpose=purpose,
        )
        measured = Measurement(
            title=subject.title,
            value=value,
            p=p,
            warnings=chosen.warnings,
            details=details,
            words=sets.uses,
            points=points,
        )
        picked = self._picked(chosen, min(self.draws, _DRAWS_IN_AN_INTERVAL))
        statistic = _combined_effect(chosen, names, picked)
        return over_words(
            measured,
            statistic,
            chosen.sets,
            names,
            seed=self.seed,
            purpose=purpose,
            values_only=setting.values_only,
        )

    def _picked(self, chosen: InContexts, draws: int) -> dict[str, Indices]:
        """For every set the context of each word in each draw (draws × words)."""
        rng = generator(self.seed, "ceat", chosen.key)
        return {name: rng.integers(0, counts, (draws, len(counts)))
                for name, counts in chosen.counts.items()}  # fmt: skip

    def _variances(self, effects: Array, spreads: Array, n1: int, n2: int) -> Array:
        return spreads**2 if self.variance == "published" else _hedges(effects, n1, n2)


def _hedges(effects: Array, n1: int, n2: int) -> Array:
    return np.asarray((n1 + n2) / (n1 * n2) + effects**2 / (2 * (n1 + n2)))


def _cosines(chosen: InContexts, names: Sequence[str], picked: dict[str, Indices]) -> list[Array]:
    """Cosines of targets with each attribute set, in every draw (draws × targets × attributes)."""
    t1, t2, a1, a2 = (chosen.rows(name, picked[name]) for name in names)
    targets = np.concatenate([t1, t2], axis=1)
    return [targets @ attributes.transpose(0, 2, 1) for attributes in (a1, a2)]


def _associations(chosen: InContexts, names: Sequence[str], picked: dict[str, Indices]) -> Array:
    """s of every target word in every draw (draws × words), in blocks of draws."""
    total = len(picked[names[0]])
    parts = []
    for begin in range(0, total, 100):
        block = {name: places[begin : begin + 100] for name, places in picked.items()}
        first, second = _cosines(chosen, names, block)
        parts.append(first.mean(axis=2) - second.mean(axis=2))
    return np.concatenate(parts)


def _effects(scores: Array, first: int) -> tuple[Array, Array]:
    """Effect sizes, and the spreads that they are relative to, along the last axis."""
    spreads = scores.std(axis=-1, ddof=1)
    difference = scores[..., :first].mean(axis=-1) - scores[..., first:].mean(axis=-1)
    is_defined = spreads > SMALLEST_SPREAD
    return np.where(is_defined, difference / np.where(is_defined, spreads, 1), np.nan), spreads


def _combined_effect(
    chosen: InContexts, names: Sequence[str], picked: dict[str, Indices]
) -> Statistic:
    """The combined effect as a function of resampled words."""
    to_first, to_second = _cosines(chosen, names, picked)
    n1 = chosen.sets.size(names[0])

    def statistic(samples: tuple[Indices, ...]) -> Array:
        i1, i2, j1, j2 = samples
        # samples × draws × targets
        scores = np.einsum(
            "dta,sa->sdt", to_first, weights_of(j1, to_first.shape[2]), optimize=True
        )
        scores -= np.einsum(
            "dta,sa->sdt", to_second, weights_of(j2, to_second.shape[2]), optimize=True
        )
        order = np.concatenate([i1, i2 + n1], axis=1)[:, None, :]
        effects, _ = _effects(np.take_along_axis(scores, order, axis=2), i1.shape[1])
        return combined(effects, _hedges(effects, i1.shape[1], i2.shape[1])).effect

    return statistic


def _published(value: float, weight: float) -> tuple[PValue, Interval, tuple[str, ...]]:
    """The released code's value, with the reason not to rely on it."""
    from scipy.stats import norm

    error = (1 / weight) ** 0.5
    reach = NormalDist().inv_cdf((1 + LEVEL) / 2) * error
    p = PValue(
        value=max(float(norm.sf(value / error)), _SMALLEST_P),
        how="normal, as if draws were independent",
        alternative="greater",
        outcomes=0,
    )
    how = "published: draws as independent studies"
    return p, Interval(low=value - reach, high=value + reach, level=LEVEL, how=how), (
        "as published, draws of contexts count as independent studies and sd² as their variance: "
        "the p-value and the interval are far too small",
    )  # fmt: skip


def _points(
    sets: WordSets, targets: Sequence[str], table: Array
) -> tuple[dict[str, float | str], ...]:
    """The mean association of each target word, and its spread over contexts."""
    words = [(word, name) for name in targets for word in sets.words(name)]
    return tuple(
        {"word": word, "set": name, "association": float(values.mean()),
         "spread-over-contexts": float(values.std())}
        for (word, name), values in zip(words, table.T, strict=True)
    )  # fmt: skip
