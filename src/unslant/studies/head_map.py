"""A map of the heads that contribute to a contrast, ranked by gradient, verified by ablation.

Half of the items ranks the heads by gradient × activation; on the other half the first ones are
ablated, one at a time, so that no head is tested on the items that it was chosen by.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.exhibits import Column, Exhibit, Grid, Table
from unslant.core.expression import parse_chain
from unslant.core.files import Progress
from unslant.core.measurement import Interval, Measurement, PValue
from unslant.core.places import Place
from unslant.core.provenance import provenance
from unslant.core.record import Corrected, Meaning, Record, Result, Subject
from unslant.core.references import reference
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.core.version import __version__
from unslant.erasers import Constant, EachVector, Eraser, Stage
from unslant.models.language.contrasts import (
    Contrasts,
    HeadAttribution,
    NextSentenceScore,
    TextScore,
    head_attribution,
    item_values,
)
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.model import TransformerModel
from unslant.models.language.resuming import resuming
from unslant.numerics.permutation import benjamini_hochberg, holm
from unslant.probes.likelihood.pair_sets import pair_set
from unslant.probes.stereoset.probe import StereoSet
from unslant.studies.layer_map import model_resource
from unslant.studies.record import Recorded

EFFECT = "head-effect"
CHECKED = 24
RESAMPLES = 10_000
LEVEL = 0.95
FDR = 0.05
_CITES = "michel-2019"
_MEANING = Meaning(
    summary="How much does the mean contrast change if a head's output is constant?",
    role="probe",
    better="",
    misleads="A head that is ablated changes what later heads read, and others may take over, so "
    "effects of heads do not add up. A small effect does not show that a head knows nothing.",
    cites=_CITES,
    reference=reference(_CITES),
)


@dataclass(frozen=True)
class CheckedHead:
    """One head, the change that the gradient predicts and the one that ablation shows."""

    place: Place
    predicted: float
    effect: float
    interval: Interval
    p: PValue


class HeadMap(Recorded):
    """The record of what heads contribute to a contrast."""


def head_map(
    score: Any,
    model: TransformerModel,
    contrasts: Contrasts,
    *,
    check: int = CHECKED,
    to_zero: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> HeadMap:
    """Rank every head by gradient, ablate the first ``check`` ones, and say which have an effect.

    ``score`` makes a :class:`GradedScore` of a model, such as ``NextSentenceScore`` or
    ``TextScore``. The effect is the change of the mean contrast; its interval and p-value are from
    a bootstrap over items, paired, and p-values are corrected for the number of heads that were
    ablated (Benjamini and Hochberg 1995).
    """
    if check < 1:
        raise UnslantError(f"The number of heads to check must be at least 1, not {check}.")
    chosen_by, checked_on = contrasts.halves(seed)
    attribution = head_attribution(score(model), chosen_by, to_zero=to_zero)
    order = np.argsort(-np.abs(attribution.predicted), axis=None, kind="stable")[:check]
    heads = [divmod(int(place), attribution.predicted.shape[1]) for place in order]
    places = [Place("layer", layer + 1, "attention", head) for layer, head in heads]
    drawn = generator(seed, "head map", contrasts.content_hash)
    indices = drawn.integers(len(checked_on.items), size=(RESAMPLES, len(checked_on.items)))
    changes: dict[Place, Array] = {}
    with resuming(model, places):
        before = item_values(score(model), checked_on)
        # From the last layer backwards, so that stored states of later blocks can be dropped.
        for place in sorted(places, key=lambda each: -(each.index or 0)):
            after = item_values(score(_ablated(model, place, attribution)), checked_on)
            changes[place] = after - before
            if progress:
                progress(f"Ablating heads of {model.name}", len(changes), len(places))
    checked = [
        _checked(place, float(attribution.predicted[head]), changes[place], indices)
        for place, head in zip(places, heads, strict=True)
    ]
    return HeadMap(
        _record(model, contrasts, attribution, checked, before, to_zero=to_zero, seed=seed)
    )


def _ablated(model: TransformerModel, place: Place, found: HeadAttribution) -> TransformerModel:
    assert place.index is not None
    assert place.head is not None
    constant = Constant(found.means[place.index - 1, place.head])
    [method] = parse_chain(f"ablate@{place}")
    stage = Stage(method=method, name=str(method), steps=(EachVector(constant),))
    return model.intervened(Intervention((AtPlace(place, Eraser((stage,))),)))


def _checked(
    place: Place, predicted: float, changes: Array, indices: NDArray[np.int64]
) -> CheckedHead:
    draws = changes[indices].mean(axis=1)
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    less = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
    value = min(1.0, 2 * (less + 1) / (len(draws) + 1))
    effect = float(changes.mean())
    return CheckedHead(
        place=place,
        predicted=predicted,
        effect=effect,
        interval=Interval(
            low=min(low, effect),
            high=max(high, effect),
            level=LEVEL,
            how="percentile bootstrap over items, paired",
        ),
        p=PValue(value=value, how="bootstrap", alternative="two-sided", outcomes=len(draws) + 1),
    )


def _record(
    model: TransformerModel,
    contrasts: Contrasts,
    found: HeadAttribution,
    checked: Sequence[CheckedHead],
    before: Array,
    *,
    to_zero: bool,
    seed: int,
) -> Record:
    p_values = [head.p.value for head in checked]
    loose, strict = benjamini_hochberg(p_values), holm(p_values)
    to = "zero" if to_zero else "mean"
    results = [
        Result(
            now=Measurement(
                metric=EFFECT,
                title=f"Effect of head {head.place.head} in layer {head.place.index}",
                value=head.effect,
                interval=head.interval,
                p=head.p,
                details={"predicted": head.predicted, "items": len(before)},
                parameters={
                    "place": str(head.place), "subject": contrasts.name, "to": to, "seed": seed,
                },
                inputs={"model": model.name, "model_sha256": model.content_hash},
                seed=seed,
                version=__version__,
            ),
            corrected=Corrected(holm=float(strict[n]), benjamini_hochberg=float(loose[n])),
        )
        for n, head in enumerate(checked)
    ]  # fmt: skip
    return Record(
        about="layers",
        subject=Subject(
            kind="set",
            name=contrasts.name,
            title=f"Contrasts of {contrasts.name}",
            about="What do the heads of attention contribute to a bias?",
            references=(reference(_CITES),),
            sha256=contrasts.content_hash,
            facts={"items": len(contrasts.items), "questions": len(contrasts.questions)},
        ),
        resource=model_resource(model),
        results=tuple(results),
        exhibits=tuple(_exhibits(contrasts, found, checked, loose)),
        glossary={EFFECT: _MEANING},
        settings={
            "set": contrasts.name,
            "ablated-to": to,
            "checked-heads": len(checked),
            "mean-contrast": float(before.mean()),
            "seed": seed,
        },
        provenance=provenance(),
    )


def _exhibits(
    contrasts: Contrasts,
    found: HeadAttribution,
    checked: Sequence[CheckedHead],
    adjusted: Array,
) -> list[Exhibit]:
    effects = np.full(found.predicted.shape, np.nan)
    for head in checked:
        assert head.place.index is not None
        assert head.place.head is not None
        effects[head.place.index - 1, head.place.head] = head.effect
    clear = [head for head, p in zip(checked, adjusted, strict=True) if p <= FDR]
    top = max(clear or checked, key=lambda head: abs(head.effect))
    verdict = (
        f"{len(clear)} of {len(checked)} ablated heads change the contrast (false discovery rate "
        f"{FDR:.0%}); the largest change is {top.effect:+.3g}, by {top.place}."
        if clear
        else f"None of {len(checked)} ablated heads changes the contrast (false discovery rate "
        f"{FDR:.0%})."
    )
    return [
        _grid("heads", f"Effect of ablating a head on {contrasts.name}", effects, verdict),
        _grid("gradient", "The same as the gradient predicts it, for every head", found.predicted),
        Table(
            id="ablated",
            title="Ablated heads, the largest prediction first",
            columns=(
                Column(label="place"),
                *(
                    Column(label=label, digits=4)
                    for label in ("predicted", "effect", "low", "high", "p", "adjusted p")
                ),
            ),
            rows=tuple(
                (
                    str(head.place), head.predicted, head.effect, head.interval.low,
                    head.interval.high, head.p.value, float(p),
                )
                for head, p in zip(checked, adjusted, strict=True)
            ),
        ),
    ]  # fmt: skip


def _grid(name: str, title: str, values: Array, says: str = "") -> Grid:
    return Grid(
        id=name,
        title=title,
        rows=tuple(f"layer {n + 1}" for n in range(values.shape[0])),
        columns=tuple(str(n) for n in range(values.shape[1])),
        values=tuple(
            tuple(None if np.isnan(value) else float(value) for value in row) for row in values
        ),
        x="head",
        says=says,
    )


# Sets of contrasts by name: StereoSet's items with their twins, or pairs of sentences.

STEREOSET = "stereoset"


def contrasts_from(name: str, kinds: str = "") -> Contrasts:
    """Contrasts of ``stereoset`` (gender, with swapped twins), or of a set of sentence pairs.

    A set of pairs is ``crows-pairs``, or a file in its layout, of which ``kinds`` chooses some. In
    StereoSet a contrast is the log-odds of the stereotype less those of the anti-stereotype, of an
    item and of its twin; in a set of pairs the log-likelihood of the more stereotyped sentence less
    that of the other.
    """
    if name == STEREOSET:
        if kinds:
            raise UnslantError("Contrasts of stereoset are about gender; leave out the kinds.")
        pairs = StereoSet(tasks="inter", domain="gender").questions().pairs
        items = tuple(
            {
                (each.context, sentence.text): sign
                for each in (pair.item, pair.twin)
                for sentence, sign in ((each.stereotype, 1.0), (each.anti, -1.0))
            }
            for pair in pairs
        )
        return Contrasts(name, items)
    asked = pair_set(name, kinds)
    return Contrasts(
        asked.name, tuple({("", p.more): 1.0, ("", p.less): -1.0} for p in asked.pairs)
    )


def score_for(model: TransformerModel, contrasts: Contrasts) -> Any:
    """How a model scores such questions: by its next-sentence head, or by likelihood.

    What comes after a context is judged by a decoder as a text.
    """
    has_context = any(first for first, _ in contrasts.questions)
    is_decoder = model.layout.architecture.is_decoder
    return NextSentenceScore if has_context and not is_decoder else TextScore
