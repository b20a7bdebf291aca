"""Classifiers of groups, always tested on words that they were not trained on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import Concept, WordPolicy, resolve
from unslant.concepts.contexts import contexts_from, texts_of
from unslant.core.errors import UndefinedMeasureError
from unslant.core.measurement import WordUse
from unslant.core.types import Array
from unslant.metrics.classifiers import Classifier, fitted_probe
from unslant.vectors import Space

# The words of a concept's groups in contexts, with their vectors and labels.

Groups = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class GroupTexts:
    """Words with the number of their group, and a vector for each word in each context.

    ``rows`` has the shape words × contexts × width.
    """

    words: tuple[str, ...]
    labels: Groups
    groups: tuple[str, ...]
    rows: Array
    uses: tuple[WordUse, ...]

    @property
    def contexts(self) -> int:
        """How many texts each word has."""
        return int(self.rows.shape[1])

    @property
    def smallest(self) -> int:
        """The number of words of the smallest group."""
        return int(np.bincount(self.labels, minlength=len(self.groups)).min())


def group_texts(
    space: Space, concept: Concept, policy: WordPolicy, of: str, contexts: str
) -> GroupTexts:
    """The words and names of each group of a concept; a word of two groups is of none."""
    parts = {"words": (concept.words,), "names": (concept.names,)}.get(
        of, (concept.words, concept.names)
    )
    lists: dict[str, list[str]] = {}
    for part in parts:
        for group, item in part.items():
            lists.setdefault(group, []).extend(item.all_words)
    if len(lists) < 2:
        raise UndefinedMeasureError(
            f'Probing compares groups, but "{concept.name}" has {len(lists)} with '
            f"{'words or names' if of == 'all' else of}. Choose another concept."
        )
    seen: dict[str, set[str]] = {}
    for group, words in lists.items():
        for word in words:
            seen.setdefault(word.lower(), set()).add(group)
    alone = {
        group: tuple(dict.fromkeys(w for w in words if len(seen[w.lower()]) == 1))
        for group, words in lists.items()
    }
    sets = resolve(space, alone, policy)
    names = tuple(alone)
    used = [(sets.items[group], number) for number, group in enumerate(names)]
    items = [item for group, _ in used for item in group]
    labels = np.array([number for group, number in used for _ in group])
    given = contexts_from(contexts)
    texts = [texts_of(space, item, given) for item in items]
    flat = space.rows([text for part in texts for text in part])
    rows = flat.reshape(len(items), len(texts[0]), -1).astype(np.float64)
    return GroupTexts(
        words=tuple(word for group in names for word in sets.words(group)),
        labels=labels,
        groups=names,
        rows=rows,
        uses=sets.uses,
    )


_FIRST = 16
_SMALLEST = 1e-12


def held_out_shares(
    data: GroupTexts,
    labels: Groups,
    folds: int,
    classifier: Classifier,
    c: float,
    rng: np.random.Generator,
) -> Array:
    """For each word the share of its texts that a classifier gets right that never saw the word.

    Folds have the same share of every group.
    """
    fold = np.empty(len(labels), dtype=np.int64)
    for group in np.unique(labels):
        places = rng.permutation(np.flatnonzero(labels == group))
        fold[places] = np.arange(len(places)) % folds
    shares = np.empty(len(labels))
    for number in range(folds):
        is_tested = fold == number
        shares[is_tested] = _shares(
            data.rows[~is_tested],
            labels[~is_tested],
            data.rows[is_tested],
            labels[is_tested],
            classifier,
            c,
        )
    return shares


def same_words_share(data: GroupTexts, labels: Groups, classifier: Classifier, c: float) -> float:
    """The share right on the words of the training in contexts that were not in it."""
    half = data.contexts // 2
    shares = _shares(data.rows[:, :half], labels, data.rows[:, half:], labels, classifier, c)
    return float(np.mean([shares[labels == group].mean() for group in np.unique(labels)]))


def shuffled(labels: Groups, rng: np.random.Generator) -> Groups:
    """The labels dealt to other words, as many of each group as there are."""
    return rng.permutation(labels)


def online_bits(data: GroupTexts, labels: Groups, c: float, rng: np.random.Generator) -> float:
    """The bits needed to encode the groups, each predicted by a classifier trained on those before.

    A word costs the mean over its texts of −log2 p(group). The first words cost log2 K each. No
    probability counts as less than 1/1000 of an equal share, so that a group that has not been
    seen yet has a price.
    """
    kinds = len(data.groups)
    order = rng.permutation(len(labels))
    rows, labels = data.rows[order], labels[order]
    known = min(_FIRST, len(labels))
    while len(np.unique(labels[:known])) < kinds and known < len(labels):
        known += 1
    bits = known * float(np.log2(kinds))
    while known < len(labels):
        end = min(2 * known, len(labels))
        train, test = _scaled(rows[:known], rows[known:end])
        flat, warning = _flat(train, labels[:known])
        probe, _ = fitted_probe("logistic", flat, warning, 0, c)
        later, right = _flat(test, labels[known:end])
        chances = probe.predict_proba(later)[np.arange(len(later)), right.astype(np.int64)]
        floor = 1e-3 / kinds
        mixed = (1 - kinds * floor) * chances + floor
        bits += float(-np.log2(mixed).reshape(end - known, -1).mean(axis=1).sum())
        known = end
    return bits


def _shares(
    train: Array, known: Groups, test: Array, labels: Groups, classifier: Classifier, c: float
) -> Array:
    train, test = _scaled(train, test)
    flat, warning = _flat(train, known)
    probe, _ = fitted_probe(classifier, flat, warning, 0, c)
    later, right = _flat(test, labels)
    is_right: NDArray[np.bool_] = probe.predict(later) == right
    return np.asarray(is_right.reshape(len(test), -1).mean(axis=1))


def _flat(rows: Array, labels: Groups) -> tuple[Array, Any]:
    """Texts below each other, each with the label of its word."""
    return rows.reshape(-1, rows.shape[2]), np.repeat(labels, rows.shape[1])


def _scaled(train: Array, test: Array) -> tuple[Array, Array]:
    """Both around the mean of the training and with its mean length as √width.

    A space whose vectors all share a large part, as hidden layers do, is not harder for that.
    """
    mean = train.mean(axis=(0, 1))
    centred = train - mean
    length = float(np.sqrt((centred**2).sum(axis=2).mean()))
    scale = np.sqrt(train.shape[2]) / max(length, _SMALLEST)
    return centred * scale, (test - mean) * scale
