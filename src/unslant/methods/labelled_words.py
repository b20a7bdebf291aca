"""Words labelled by the attribute, and what linear classifiers recover of the labels afterwards."""

import hashlib
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.concepts.vocabulary import MOST_LISTED, frequent_words, unit_rows
from unslant.core.errors import DegenerateSubspaceError, ExpressionError, UndefinedMeasureError
from unslant.core.measurement import WordUse
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.numerics.chunks import one_blas_thread
from unslant.numerics.linalg import safe_norm
from unslant.numerics.strata import split_by_shares
from unslant.subspaces.estimator import estimate
from unslant.subspaces.most_biased import FEWEST
from unslant.subspaces.subspace import WEAKEST
from unslant.vectors import Space, WordVectors

# Words labelled by the attribute, for methods that learn to predict the labels.

Labels = NDArray[np.int64]

VOCABULARY = 150_000
SHARE = 20
"""The published recipe: 7,500 words per side of 150,000, so one in twenty."""
NEUTRAL = 0.03
"""Words with a cosine above this are not neutral in the recipe."""
On = Literal["leaning", "words", "names"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Labelled:
    """Words, spelled as in the vectors, or other items of a space; label i means class i."""

    items: tuple[str, ...]
    labels: Labels
    classes: tuple[str, ...]
    uses: tuple[WordUse, ...]
    details: Mapping[str, float | int | str | None] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def features(self, vectors: Space) -> Array:
        """The unchanged vectors, in double precision.

        They are not scaled to length 1, because the fitted map is applied to unscaled vectors.
        """
        return vectors.rows(self.items).astype(np.float64)


class Learner(Protocol):
    """A method whose parameters select the words it learns from."""

    @property
    def on(self) -> On:
        """Which words: those that lean to a group, or its words or names."""

    @property
    def n(self) -> int:
        """The number of leaning words per group."""

    @property
    def neutral(self) -> bool:
        """Whether neutral words are a separate class."""

    @property
    def subspace(self) -> str:
        """The direction along which words lean."""


def words_for(
    method: Learner,
    by: str,
    vectors: Space,
    concept: Concept,
    policy: WordPolicy,
    *,
    at_least: int = 2,
) -> Labelled:
    """The words that a method requests, with at least ``at_least`` per class."""
    words = labelled_words(
        vectors,
        concept,
        policy,
        by=by,
        on=method.on,
        n=method.n,
        neutral=method.neutral,
        subspace=method.subspace,
    )
    if min(np.bincount(words.labels)) < at_least:
        raise ExpressionError(
            f"{by} needs {at_least} words for each group of {concept.name} to train and test on, "
            f"but {vectors.name} has fewer. Use on=leaning, or leace(on={method.on})."
        )
    return words


def labelled_words(
    vectors: Space,
    concept: Concept,
    policy: WordPolicy,
    *,
    by: str,
    on: On,
    n: int,
    neutral: bool,
    subspace: str = "",
) -> Labelled:
    """Words that lean to each group, or (``on`` "words" or "names") those that represent it.

    Leaning words are plain frequent words that are not in the concept itself: up to ``n`` per
    group with the largest cosine with its direction, and with ``neutral`` as many with the
    smallest, as one more class. The direction of two groups is ``subspace`` or the concept's own,
    and the reverse for the second; that of one of many groups is the mean of its words' unit
    vectors minus the mean over groups, and a word goes to the group with the largest cosine. A
    space without a vocabulary has no such words; there the words of the groups are used.
    """
    if len(concept.groups) < 2:
        raise ExpressionError(
            f'{by} needs a concept with two or more groups, but "{concept.name}" has '
            f"{len(concept.groups)}. Add groups to it, or use a method that takes a subspace."
        )
    if not isinstance(vectors, WordVectors) and on == "leaning":
        on = "words" if concept.words else "names"  # other words that lean are in no list
    if on != "leaning":
        return _named(vectors, concept, policy, by, on)
    assert isinstance(vectors, WordVectors)
    return _leaning(vectors, concept, policy, by, n, neutral, subspace)


def _named(vectors: Space, concept: Concept, policy: WordPolicy, by: str, on: On) -> Labelled:
    lists = concept.words if on == "words" else concept.names
    if any(group not in lists for group in concept.groups):
        raise ExpressionError(
            f'{by}(on={on}) needs {on} for every group, but "{concept.name}" does not have them. '
            f"Use on=leaning."
        )
    found = resolve(vectors, {g: lists[g].all_words for g in concept.groups}, policy)
    items = Counter(item for group in concept.groups for item in found.items[group])
    shared = {item for item, count in items.items() if count > 1}
    kept = {
        group: tuple(item for item in found.items[group] if item not in shared)
        for group in concept.groups
    }
    uses = tuple(
        WordUse(
            set=use.set,
            used=tuple(word for word, item in pairs if item not in shared),
            missing=use.missing,
            set_aside=use.set_aside + tuple(word for word, item in pairs if item in shared),
        )
        for use in found.uses
        for pairs in (list(zip(use.used, found.items[use.set], strict=True)),)
    )
    for group, places in kept.items():
        if len(places) < 2:
            raise UndefinedMeasureError(
                f"{by} needs at least two {on} per group, but {vectors.name} has {len(places)} "
                f'for "{group}" in {concept.name}. Use on=leaning.'
            )
    return Labelled(
        items=tuple(item for places in kept.values() for item in places),
        labels=np.repeat(np.arange(len(kept)), [len(places) for places in kept.values()]),
        classes=concept.groups,
        uses=uses,
        details={"labels": f"{on} of each group"},
    )


def _leaning(
    vectors: WordVectors,
    concept: Concept,
    policy: WordPolicy,
    by: str,
    n: int,
    neutral: bool,
    subspace: str,
) -> Labelled:
    axes, how, uses, warnings = _directions(vectors, concept, policy, subspace, by)
    shared = frequent_words(vectors, vectors, concept, VOCABULARY)
    cosines = unit_rows(vectors, shared.rows) @ axes.T.astype(np.float32)
    nearest, lean = cosines.argmax(axis=1), cosines.max(axis=1)
    order = np.argsort(-lean, kind="stable")
    order = order[lean[order] > 0]
    sides = [order[nearest[order] == group] for group in range(len(axes))]
    asked = min(n, max(FEWEST, min(len(vectors), VOCABULARY) // SHARE))
    count = min(asked, *map(len, sides))
    if neutral:
        count = min(count, len(shared) // (len(axes) + 1))
    if count < FEWEST:
        raise UndefinedMeasureError(
            f"{by} needs {FEWEST} plain words that lean to each group of {concept.name}, but "
            f"{vectors.name} has only {count} for one of them. Use vectors with more words, or "
            f"on=words."
        )
    if count < n:
        warnings += (f"learned from only {count:,} words per group; {n:,} were requested",)
    chosen = [side[:count] for side in sides]
    details: dict[str, float | int | str | None] = {
        "labels": how,
        "words-a-group": count,
        "weakest-cosine-of-a-leaning-word": float(min(lean[side].min() for side in chosen)),
    }
    classes = concept.groups
    if neutral:
        classes += ("neutral",)
        rest = np.setdiff1d(np.arange(len(shared)), np.concatenate(chosen))
        chosen.append(rest[np.argsort(lean[rest], kind="stable")[:count]])
        largest = float(lean[chosen[-1]].max())
        details["largest-cosine-of-a-neutral-word"] = largest
        if largest > NEUTRAL:
            warnings += (f"neutral words have cosines of up to {largest:.3f}, above {NEUTRAL}",)
    places = np.concatenate(chosen)
    words = tuple(shared.words.take(places))
    details["sha256-of-the-labelled-words"] = hashlib.sha256("\n".join(words).encode()).hexdigest()
    if len(words) <= MOST_LISTED:
        uses += tuple(
            WordUse(set=f"leaning to {name}" if name in concept.groups else name, used=tuple(part))
            for name, part in zip(classes, np.split(np.array(words), len(classes)), strict=True)
        )
    return Labelled(
        items=words,
        labels=np.repeat(np.arange(len(classes)), count),
        classes=classes,
        uses=uses,
        details={**details, **shared.details},
        warnings=warnings,
    )


def _directions(
    vectors: WordVectors, concept: Concept, policy: WordPolicy, subspace: str, by: str
) -> tuple[Array, str, tuple[WordUse, ...], tuple[str, ...]]:
    """A unit direction for each group, how it was found, its words and warnings."""
    if len(concept.groups) == 2 and (subspace or concept.direction):
        estimated = estimate(subspace or None, vectors, concept, policy)
        axis = estimated.one_axis(by)
        axes = np.stack([axis, -axis])
        return axes, f"cosine with {estimated.estimator}", estimated.words, estimated.warnings
    if subspace:
        raise ExpressionError(
            f'A subspace such as {subspace} can label words for two groups, but "{concept.name}" '
            f"has {len(concept.groups)}. Omit it: each group then has its own direction."
        )
    members = concept.members
    sets = resolve(vectors, {g: members[g].all_words for g in concept.groups}, policy)
    means = np.stack([sets.directions(group).mean(axis=0) for group in concept.groups])
    apart = means - means.mean(axis=0)
    for group, row in zip(concept.groups, apart, strict=True):
        if safe_norm(row) < WEAKEST:
            raise DegenerateSubspaceError(
                f'The words of "{group}" in {concept.name} have the mean of all groups in '
                f"{vectors.name}, so no word leans to it. Use other words for it."
            )
    axes = apart / np.linalg.norm(apart, axis=1, keepdims=True)
    return axes, "cosine with the mean of each group's words", sets.uses, ()


# Accuracy of linear classifiers after erasure, on words the eraser has not seen.

SHARES = (0.49, 0.21, 0.30)
"""Training, validation and held-out words: the split of Ravfogel et al. 2020."""
TRAIN, JUDGE, HELD_OUT = range(3)


def scale_of(rows: Array) -> float:
    """The root mean square of all components: classifiers see rows divided by this one number.

    With one number for all rows, a linear map learned from them is also valid for the unscaled
    rows; it only makes the strength of regularisation mean the same in every space.
    """
    scale = float(np.sqrt((rows**2).mean()))
    return scale if scale > 0 else 1.0


def chance_of(labels: Labels) -> float:
    """The accuracy of always predicting the most frequent label."""
    return float(np.bincount(labels).max() / len(labels))


def support_vectors(rows: Array, labels: Labels, *, intercept: bool) -> Any:
    """A linear support vector machine trained on rows of about unit scale."""
    from sklearn.svm import LinearSVC

    machine = LinearSVC(dual=False, fit_intercept=intercept, tol=1e-3, random_state=0)
    return _trained(machine, rows, labels)


def logistic(rows: Array, labels: Labels) -> Any:
    """A logistic regression trained on rows of about unit scale."""
    from sklearn.linear_model import LogisticRegression

    return _trained(LogisticRegression(max_iter=300), rows, labels)


def best_accuracy(rows: Array, labels: Labels, test_rows: Array, test_labels: Labels) -> float:
    """The better accuracy of two linear classifiers, with intercept, on the test rows."""
    probes = support_vectors(rows, labels, intercept=True), logistic(rows, labels)
    return max(float(probe.score(test_rows, test_labels)) for probe in probes)


def held_out_accuracies(
    before: Array, after: Array, labels: Labels, part: Labels, seed: int
) -> dict[str, float | int | str | None]:
    """How well linear classifiers predict the labels of held-out words, before and after.

    They learn from the words that the eraser was trained on. Since a good eraser leaves nothing to
    learn there, classifiers also learn from one half of the held-out words and are tested on the
    other. This reveals an attribute that was erased only for the training words.
    """
    is_held, is_seen = part == HELD_OUT, part == TRAIN
    if not is_held.any():
        return {}
    scale = scale_of(before)
    seen, held = labels[is_seen], labels[is_held]
    accuracies: dict[str, float | int | str | None] = {"chance": chance_of(held)}
    half = split_by_shares(held, (0.5, 0.5), generator(seed, "halves of held-out words"))
    for when, rows in (("before", before / scale), ("after", after / scale)):
        mine, theirs = rows[is_seen], rows[is_held]
        accuracies[f"accuracy-on-held-out-words-{when}"] = best_accuracy(mine, seen, theirs, held)
        if min(np.bincount(held)) >= 4:
            accuracies[f"the-same,-learned-from-half-of-them,-{when}"] = best_accuracy(
                theirs[half == 0], held[half == 0], theirs[half == 1], held[half == 1]
            )
    return accuracies


def _trained(probe: Any, rows: Array, labels: Labels) -> Any:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return probe.fit(rows, labels)
