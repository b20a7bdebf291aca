"""Which words and templates stand in for each other, and how often each is drawn.

Words are drawn within their groups and kinds, so that no resample loses the men, the women or the
pronouns; a word that is the only one of its group and kind is in every resample. Templates are
drawn from all contexts. Contexts share verbs and objects, and drawing them one by one does not see
that, so the interval over templates is for new sentences of these verbs and things.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unslant.core.seeds import generator
from unslant.numerics.crossed_bootstrap import CrossedDraws, Mask, stratified_counts
from unslant.probes.nli.pairset import PairSet

FEW_WORDS = 8


def draws_for(pairs: PairSet, seed: int, resamples: int) -> CrossedDraws:
    """How often each resample draws each word and each context of a set."""
    rng = generator(seed, "crossed bootstrap", pairs.content_hash)
    return CrossedDraws(
        stratified_counts(premise_strata(pairs), resamples, rng),
        stratified_counts(
            hypothesis_strata(pairs),
            resamples,
            rng,
        ),
        stratified_counts(np.zeros(len(pairs.grid.contexts), dtype=np.int64), resamples, rng),
    )


def premise_strata(pairs: PairSet) -> NDArray[np.int64]:
    """Which premise words are drawn in place of each other."""
    return _strata(len(pairs.premise_words), tuple(pairs.premise_groups.values()))


def hypothesis_strata(pairs: PairSet) -> NDArray[np.int64]:
    """Which hypothesis words are drawn in place of each other."""
    groups = (*pairs.hypothesis_groups.values(), *pairs.kinds.values())
    return _strata(len(pairs.hypothesis_words), groups)


def _strata(size: int, groups: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """The stratum of each word: words that are in exactly the same groups share one."""
    is_in = np.zeros((size, len(groups) + 1), dtype=np.int64)
    for column, places in enumerate(groups):
        is_in[list(places), column] = 1
    return np.asarray(np.unique(is_in, axis=0, return_inverse=True)[1].reshape(-1))


def roughness(counted: Mask, pairs: PairSet) -> tuple[str, ...]:
    """What a reader must know of an interval that rests on few words."""
    sides = (
        ("premise", np.flatnonzero(counted.any(axis=1)), premise_strata(pairs)),
        ("hypothesis", np.flatnonzero(counted.any(axis=0)), hypothesis_strata(pairs)),
    )
    said = []
    for side, used, strata in sides:
        sizes = np.bincount(strata[used])
        words = len(used)
        if words == 0 or (words == 1 and len(strata) == 1):
            continue  # a side of one word is no sample of anything
        if sizes.max() == 1:
            said.append(
                f"The interval keeps the {words} {side} words: each is the only one of its group "
                f"and kind, so no other can stand in for it."
            )
        elif words < FEW_WORDS:
            sizes = sizes[sizes > 0]
            distinct = float((sizes * (1 - (1 - 1 / sizes) ** sizes)).sum())
            said.append(
                f"The interval is rough, and rather too narrow: it rests on {words} {side} words, "
                f"of which a resample has {distinct:.1f} different ones on average."
            )
    return tuple(said)
