"""Direct bias: how far neutral words lean along the bias direction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.concepts.vocabulary import MOST_FREQUENT, frequent_words, unit_rows
from unslant.core.errors import DegenerateSubspaceError, UndefinedMeasureError, UnslantError
from unslant.core.measurement import Measurement
from unslant.core.parameters import above, at_least
from unslant.core.score import LEAN_DRAWN, SMALLER, Range, Score
from unslant.core.types import Array
from unslant.measures.registry import SPACE, metric
from unslant.measures.setting import Setting
from unslant.metrics.uncertainty import over_words
from unslant.numerics.bootstrap import Indices
from unslant.subspaces.estimator import estimate
from unslant.subspaces.stability import Steadiness, steadiness
from unslant.subspaces.subspace import Subspace
from unslant.vectors import Space, WordVectors

# Whether two spaces are the same one before and after a change.

_WORDS = 2_000
_LEAST_COSINE = 0.5


def shares_coordinates(space: Space, baseline: Space, measured: Sequence[str]) -> bool:
    """Whether the same words have similar vectors in both, component by component.

    Separately trained spaces have cosines around 0 between their vectors of the same word, and
    vectors before and after debiasing have cosines near 1: the median over the first shared words
    distinguishes the two cases. Without a vocabulary, the items measured are compared.
    """
    if space is baseline:
        return True
    items = list(space.words[:_WORDS]) if isinstance(space, WordVectors) else list(measured)
    shared = baseline.lookup(items, "exact").words
    if not shared:
        return False
    one, other = (each.rows(shared).astype(np.float64) for each in (space, baseline))
    if one.shape != other.shape:
        return False
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    is_defined = lengths > 0
    if not is_defined.any():
        return False
    cosines = np.einsum("ij,ij->i", one, other)[is_defined] / lengths[is_defined]
    return bool(np.median(cosines) >= _LEAST_COSINE)


# How close words are to each of two sides, for figures of their lean.


@dataclass(frozen=True, eq=False)
class TwoSides:
    """Two sets of words by name, and the mean of the unit vectors of each (2 × d)."""

    names: tuple[str, str]
    words: tuple[tuple[str, ...], tuple[str, ...]]
    means: Array

    @property
    def details(self) -> dict[str, str]:
        """The names of the sides and their words, as stored in a record."""
        first, second = self.words
        return {
            "first-side": self.names[0],
            "second-side": self.names[1],
            "words-of-the-first-side": ", ".join(first),
            "words-of-the-second-side": ", ".join(second),
        }

    def cosines(self, units: Array) -> Array:
        """The mean cosine of each unit row with the words of each side (n × 2)."""
        # The mean of cosines is the product with the mean of the unit vectors.
        return np.asarray(units @ self.means.T)


def two_sides(
    space: Space, concept: Concept, subspace: Subspace, policy: WordPolicy
) -> TwoSides | None:
    """The words that a direction contrasts, positive side first.

    They are the two sets it was estimated from, such as "she" and "he" or the names of two groups;
    otherwise those of the concept's first two groups. None if a side has no word with a direction:
    only the figure needs them, not the measure.
    """
    if len(subspace.words) == 2:
        chosen = {use.set: use.used for use in subspace.words}
    else:
        groups = [name for name in concept.groups if name in concept.members][:2]
        chosen = {name: concept.members[name].all_words for name in groups}
    if len(chosen) != 2:
        return None
    first, second = chosen
    try:
        sets = resolve(space, chosen, WordPolicy(missing="drop", case=policy.case))
        means = [sets.directions(name).mean(axis=0) for name in chosen]
    except UnslantError:
        return None
    return TwoSides((first, second), (sets.words(first), sets.words(second)), np.stack(means))


_UNRELATED = (
    "the baseline is not the original of these vectors, so each is measured along its own direction"
)

MOST_POINTS = 2_000
"""A record contains at most this many points per measurement."""


@metric(
    "direct-bias",
    cites="bolukbasi-2016",
    takes="concept",
    needs=SPACE,
    score=Score(
        better=SMALLER,
        range=Range(0, 1),
        misleads="It measures only along the given direction. Methods that remove that direction "
        "reduce it to 0 while neighbourhoods stay biased (Gonen and Goldberg 2019), and it is "
        "undefined if both ends of the direction coincide.",
        drawn=LEAN_DRAWN,
    ),
)
class DirectBias:
    """Mean over neutral words w of ‖projection of w/‖w‖ on the bias subspace‖ to the power c.

        DirectBias = (1/|N|) Σ_{w ∈ N} ‖projection of w/‖w‖ on the bias subspace‖ᶜ

    ``subspace`` is an estimator expression, by default the concept's own direction; ``neutral``
    names the list of neutral words, by default the concept's first one, or is "most-frequent": the
    plain words among the first ``vocabulary`` ones that are not in the concept itself.

    The direction is that of the baseline, the vectors before debiasing, if there is one, so that
    before and after are measured along the same direction. ``of=refitted`` estimates it again in
    the vectors themselves. Debiasing shrinks the difference that the direction is estimated from,
    and the rest may be noise, along which words lean by chance. The words that determine the
    direction are therefore resampled, and if they no longer determine it, there is no value. The
    direction of a baseline that is not the original of these vectors means nothing here: each is
    then measured along its own, with a warning.
    """

    subspace: str = ""
    neutral: str = ""
    of: Literal["baseline", "refitted"] = "baseline"
    c: Annotated[float, above(0)] = 1.0
    vocabulary: Annotated[int, at_least(1)] = 50_000
    seed: Annotated[int, at_least(0)] = 0

    def run(self, space: Space, subject: Concept, setting: Setting) -> Measurement:
        """The mean size of the projections, with the signed projection of every word.

        A word's point also has its mean cosine with the words of each side.
        """
        name = self.neutral or next(iter(subject.neutral), "")
        if not name:
            raise UndefinedMeasureError(
                f'The concept "{subject.name}" has no neutral words, which direct bias needs. '
                f"Measure all ordinary words with direct-bias(neutral={MOST_FREQUENT})."
            )
        if name == MOST_FREQUENT:
            if not isinstance(space, WordVectors):
                raise UndefinedMeasureError(
                    f"{MOST_FREQUENT} takes words from a vocabulary, and {space.name} has none. "
                    f"Name a list of the concept, as in direct-bias(neutral=…)."
                )
            chosen = frequent_words(space, space, subject, self.vocabulary)
            words, uses = tuple(chosen.words), chosen.uses
            units = unit_rows(space, chosen.rows).astype(np.float64)
            facts = dict(chosen.details)
        else:
            sets = resolve(space, {name: subject.list(name).all_words}, setting.policy)
            words, uses, units, facts = sets.words(name), sets.uses, sets.directions(name), {}
        title = f"Lean of {name} along the {subject.name} direction"
        baseline = setting.baseline or space
        is_related = shares_coordinates(space, baseline, words)
        is_refitted = (
            self.of == "refitted" and is_related and baseline.content_hash != space.content_hash
        )
        if is_refitted:
            title = f"{title}, re-estimated after debiasing"
        source = baseline if self.of == "baseline" and is_related else space
        try:
            subspace = estimate(self.subspace or None, source, subject, setting.policy)
        except DegenerateSubspaceError as error:
            return Measurement.undefined(str(error), title=title, words=uses)
        steady = steadiness(subspace, self.subspace or None, source, subject, setting.policy)
        fault = _fault(steady, subspace.estimator, is_refitted=is_refitted)
        if fault:
            return Measurement.undefined(fault, title=title, words=(*uses, *subspace.words))
        projections = units @ subspace.basis.T
        sizes = np.linalg.norm(projections, axis=1)
        powers = sizes**self.c

        def mean_power(samples: tuple[Indices, ...]) -> Array:
            return np.asarray(powers[samples[0]].mean(axis=1))

        sides = two_sides(source, subject, subspace, setting.policy)
        cosines = sides.cosines(units) if sides else None
        measurement = Measurement(
            title=title,
            value=float(powers.mean()),
            details={
                "direction": subspace.estimator,
                "strength-of-the-direction": subspace.strength,
                **(steady.details if steady else {}),
                **_signed(projections),
                **_sides(subject, subspace.k),
                **(sides.details if sides else {}),
                **facts,
            },
            words=(*uses, *subspace.words),
            points=tuple(
                {
                    "word": words[place],
                    "projection": float(projections[place, 0]),
                    "size": float(sizes[place]),
                    **_closeness(cosines, place),
                }
                for place in both_ends(projections[:, 0])
            ),
            warnings=(*subspace.warnings, *_doubt(steady)),
        )
        if name != MOST_FREQUENT:
            purpose = f"direct-bias {name} {subject.content_hash}"
            measurement = over_words(
                measurement,
                mean_power,
                sets,
                (name,),
                seed=self.seed,
                purpose=purpose,
                values_only=setting.values_only,
            )
        return (
            measurement
            if is_related
            else replace(measurement, warnings=(*measurement.warnings, _UNRELATED))
        )


def _fault(steady: Steadiness | None, direction: str, *, is_refitted: bool) -> str:
    """Why a direction that resampling does not confirm cannot be used."""
    if steady is None or steady.is_steady:
        return ""
    what = (
        f"resampling {steady.resampled} confirms {steady.confirmed:.0%} of {direction} (mean "
        f"cosine of resampled directions {steady.with_itself:.2f})"
    )
    if is_refitted:
        return f"after debiasing, the direction is mostly noise: {what}"
    if steady.is_of_one_pair and steady.is_noise:
        return (
            f"the direction is mostly noise: {what}. If these vectors were debiased, pass the "
            f"original ones as the baseline"
        )
    return ""


def _doubt(steady: Steadiness | None) -> tuple[str, ...]:
    if steady is None or steady.is_steady:
        return ()
    return (
        f"the direction is unstable: estimates from resampled words have a mean cosine of "
        f"{steady.with_itself:.2f} with it",
    )


def _signed(projections: Array) -> dict[str, float | int]:
    """The signed mean along one direction, or the number of directions if there are several."""
    if projections.shape[1] == 1:
        return {"mean-signed-projection": float(projections[:, 0].mean())}
    return {"axes": projections.shape[1]}


def _closeness(cosines: Array | None, place: int) -> dict[str, float]:
    """The mean cosines of one word with the words of both sides, if there are two sides."""
    if cosines is None:
        return {}
    return {
        "first-cosine": float(cosines[place, 0]),
        "second-cosine": float(cosines[place, 1]),
    }


def _sides(concept: Concept, k: int) -> dict[str, str]:
    """The names of the two ends of a direction, if it has them."""
    if k != 1 or len(concept.groups) != 2:
        return {}
    return {"positive-side": concept.groups[0], "negative-side": concept.groups[1]}


def both_ends(values: NDArray[np.floating], most: int = MOST_POINTS) -> NDArray[np.int64]:
    """The indices of the largest and smallest values, largest first; all if there are few."""
    order = np.argsort(-values, kind="stable")
    half = most // 2
    return order if len(order) <= most else np.r_[order[:half], order[-half:]]
