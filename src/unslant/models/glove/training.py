"""GloVe and GN-GloVe on counted pairs: every iteration a pass over all cells, kept when it is over.

The parameters are one array Q of shape (2 V, 2, D + 1): words, then contexts; of each the vector
with its bias at the end, and AdaGrad's sum of squared steps, which starts at 1.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite, log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.extras import extra_for
from unslant.core.files import Progress
from unslant.core.sealed import Tensors
from unslant.core.seeds import generator
from unslant.models.glove.counts import Counts
from unslant.models.glove.neutral import Groups, directions_of
from unslant.models.glove.settings import GloveSettings, NeutralSettings
from unslant.models.training.checkpoint import Checkpoint, Progressed

Parameters = NDArray[np.float32]

_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class Trained:
    """The parameters after an iteration, and what every iteration so far gave."""

    parameters: Parameters
    curve: tuple[Mapping[str, float], ...] = ()
    directions: NDArray[np.float32] | None = None

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The sum of each word's vector as a word and as a context."""
        half = len(self.parameters) // 2
        words, contexts = self.parameters[:half, 0, :-1], self.parameters[half:, 0, :-1]
        return np.asarray(words + contexts)


@dataclass(frozen=True, eq=False)
class Neutrality:
    """The groups that are kept apart, and how."""

    groups: Groups
    how: NeutralSettings = field(default_factory=NeutralSettings)


def train(
    counts: Counts,
    how: GloveSettings,
    neutrality: Neutrality | None = None,
    *,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Trained:
    """Train until the iterations are over.

    Each finished iteration is kept in ``checkpoint``; called again with the same counts and
    settings, training continues from it. The caller removes it when the vectors are safe.
    """
    extra_for("Training word vectors", "numba", "glove")
    store = checkpoint and Checkpoint(checkpoint, identity_of(counts, how, neutrality))
    found = store.read() if store else None
    state = _begun(found) if found else Trained(fresh(len(counts.words), how, neutrality))
    cells = counts.cells
    while len(state.curve) < how.iterations:
        state = _iteration(state, cells, how, neutrality, progress)
        if store:
            store.write(_progressed(state))
    return state


def identity_of(counts: Counts, how: GloveSettings, neutrality: Neutrality | None) -> str:
    """A hash of everything that the parameters depend on, except the number of threads."""
    chosen = {key: value for key, value in how.to_dict().items() if key != "threads"}
    held: list[Any] = []
    if neutrality is not None:
        rows = [part.tolist() for part in (neutrality.groups.kinds, *neutrality.groups.members)]
        held = [neutrality.how.to_dict(), rows]
    return hashlib.sha256(
        json.dumps([counts.identity, chosen, held], sort_keys=True).encode()
    ).hexdigest()


def fresh(words: int, how: GloveSettings, neutrality: Neutrality | None = None) -> Parameters:
    """Parameters before the first iteration: uniform, and w_g of group words at their targets."""
    wide = how.dimensions + 1
    Q = np.ones((2 * words, 2, wide), dtype=np.float32)
    drawn = generator(how.seed, "glove", "parameters")
    Q[:, 0] = (drawn.random((2 * words, wide), dtype=np.float32) - 0.5) / wide
    if neutrality is not None:
        groups = neutrality.groups
        if groups.coordinates >= how.dimensions:
            raise UnslantError(
                f"{groups.coordinates} of the dimensions are for the groups, so there must be "
                f"more than {groups.coordinates}, not {how.dimensions}."
            )
        for number, target in enumerate(groups.targets, 1):
            rows = np.flatnonzero(groups.kinds == number)
            for role in (rows, words + rows):
                Q[role, 0, -1 - groups.coordinates : -1] = target
    return Q


def _iteration(
    state: Trained,
    cells: NDArray[np.void],
    how: GloveSettings,
    neutrality: Neutrality | None,
    progress: Progress | None,
) -> Trained:
    begun, number, Q = time.monotonic(), len(state.curve) + 1, state.parameters.copy()
    directions, loss, done = state.directions, 0.0, 0
    with ThreadPoolExecutor(how.threads) as pool:
        for part in _parts(len(cells), 1 if neutrality is None else neutrality.how.refreshes):
            if neutrality is not None:
                directions = directions_of(neutrality.groups, Q, neutrality.how, directions)
            step = pass_over(Q, how, neutrality, directions)
            for begin in range(part.start, part.stop, _BLOCK):
                block = cells[begin : min(begin + _BLOCK, part.stop)]
                loss += sum(pool.map(step, (block[s] for s in _parts(len(block), how.threads))))
                done += len(block)
                if progress:
                    progress(f"Iteration {number} of {how.iterations}", done, len(cells))
    if not (isfinite(loss) and np.isfinite(Q).all()):
        raise UnslantError(
            f"The loss of iteration {number} is not finite. Use a lower learning rate."
        )
    ordered = 2 * len(cells) - int((cells["i"] == cells["j"]).sum())
    facts = {"loss": loss / ordered, "seconds": round(time.monotonic() - begun, 2)}
    after = replace(state, parameters=Q, directions=directions)
    if neutrality is not None:
        facts |= leaning(after.vectors, neutrality.groups)
    return replace(after, curve=(*state.curve, facts))


def _parts(length: int, several: int) -> list[slice]:
    """Slices of about the same length that make up the whole."""
    bounds = np.linspace(0, length, several + 1).astype(int).tolist()
    return [slice(begin, end) for begin, end in pairwise(bounds)]


def pass_over(
    Q: NDArray[Any],
    how: GloveSettings,
    neutrality: Neutrality | None = None,
    directions: NDArray[Any] | None = None,
) -> Callable[[NDArray[np.void]], float]:
    """A function that takes the steps of some cells, in place, and returns their loss before."""
    from unslant.models.glove import kernels

    kind = Q.dtype.type
    common = (kind(how.learning_rate), kind(how.alpha), kind(log(how.x_max)), how.adagrad)
    if neutrality is None:
        return lambda part: float(kernels.glove_pass(part, Q, *common))
    groups, terms = neutrality.groups, neutrality.how
    more = (
        groups.kinds,
        directions,
        groups.targets.astype(Q.dtype),
        kind(how.learning_rate * terms.group_weight),
        kind(how.learning_rate * terms.neutral_weight),
        1 if terms.form == "l1" else 2,
        kind(terms.clip),
    )
    return lambda part: float(kernels.neutral_pass(part, Q, *common, *more))


def leaning(vectors: NDArray[np.float32], groups: Groups) -> dict[str, float]:
    """How far neutral words lean along the groups' directions, and how far w_g keeps these apart.

    ``leaning`` is the mean of |v·w_a| over neutral words and directions, v and w_a of the sum of
    both roles, v at length 1; ``apart`` the least difference of two groups' mean w_g, by its
    largest coordinate.
    """
    kept = vectors.shape[1] - groups.coordinates
    means = np.stack([vectors[rows].mean(axis=0, dtype=np.float64) for rows in groups.members])
    v = means[:1] - means[1:] if len(means) == 2 else means - means.mean(axis=0)
    v = v[:, :kept] / np.linalg.norm(v[:, :kept], axis=1, keepdims=True)
    along = np.abs(vectors[groups.kinds == 0, :kept] @ v.T)
    between = np.abs(means[:, None, kept:] - means[None, :, kept:]).max(axis=2)
    least = between[~np.eye(len(means), dtype=bool)].min()
    return {"leaning": float(along.mean()), "apart": float(least)}


def _begun(found: Progressed) -> Trained:
    """The state that a checkpoint has."""
    tensors = found.tensors
    return Trained(tensors["parameters"], tuple(found.rounds), tensors.get("directions"))


def _progressed(state: Trained) -> Progressed:
    tensors: Tensors = {"parameters": state.parameters}
    if state.directions is not None:
        tensors["directions"] = state.directions
    return Progressed(len(state.curve), [dict(each) for each in state.curve], tensors)
