"""A grid of sentence pairs, each part that pairs share computed once.

The model has no positions, so a sentence is the bag of its context's words and its filler's. What
is done how often, for P premise fillers, H hypothesis fillers and C contexts:

- once a word: everything before attention, and both parts of the first layer of compare;
- once a (context, filler): the words of the context, which see the context and the other
  sentence's filler, and their part of aggregate;
- for all P × H × C: the second layer of compare for the fillers' own words, and aggregate.

Attention over a context and a filler is mixed from the attention over each.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from unslant.core.files import Progress
from unslant.core.types import Matrix
from unslant.models.nli.grid_tile import Places, Tile
from unslant.models.nli.layers import Layers, Words
from unslant.models.nli.sentence_batches import Sentence
from unslant.numerics.chunks import one_blas_thread, ordered_parallel, reuse_freed_memory
from unslant.predictors.protocols import Probabilities

_ROWS = 2048
"""Rows worked on at once: few enough to stay in a core's cache, enough for fast products."""

_LEAST_FILLERS = 32
"""Hypothesis fillers taken together if there are as many: contexts are redone for each tile."""


def grid_answers(
    layers: Layers,
    words: Words,
    premises: Sequence[Sentence],
    hypotheses: Sequence[Sentence],
    contexts: Sequence[Sentence],
    progress: Progress | None = None,
) -> Probabilities:
    """The probabilities as premises × hypotheses × contexts × 3; words are rows of ``words``."""
    shared = _in_all([*premises, *hypotheses])
    premises, hypotheses = ([_without(f, shared) for f in s] for s in (premises, hypotheses))
    contexts = [context + tuple(shared.elements()) for context in contexts]
    answers = np.empty((len(premises), len(hypotheses), len(contexts), 3), np.float32)
    done, total = 0, answers.size // 3

    def work(task: tuple[Tile, Places]) -> tuple[Tile, Places, Matrix]:
        tile, chosen = task
        return tile, chosen, tile.answers(np.array([contexts[place] for place in chosen], np.int64))

    reuse_freed_memory()
    with one_blas_thread():
        tasks = _tasks(layers, words, premises, hypotheses, contexts)
        for tile, chosen, found in ordered_parallel(work, tasks):
            answers[tile.rows, tile.columns, chosen] = found.transpose(1, 2, 0, 3)
            done += found.size // 3
            if progress:
                progress("Asking the model", done, total)
    return answers


def _tasks(
    layers: Layers,
    words: Words,
    premises: Sequence[Sentence],
    hypotheses: Sequence[Sentence],
    contexts: Sequence[Sentence],
) -> Iterator[tuple[Tile, Places]]:
    """Blocks of premises × hypotheses × contexts; the contexts of a block have one length."""
    if not (premises and hypotheses and contexts):
        return
    width = min(len(hypotheses), max(_LEAST_FILLERS, _ROWS // len(premises)))
    height = min(len(premises), max(1, _ROWS // width))
    lengths = np.array([len(context) for context in contexts])
    for top in range(0, len(premises), height):
        for left in range(0, len(hypotheses), width):
            rows, columns = slice(top, top + height), slice(left, left + width)
            tile = Tile(layers, words, rows, columns, premises[rows], hypotheses[columns])
            for length in np.unique(lengths):
                alike = np.flatnonzero(lengths == length)
                most = max(width * height, (width + height) * int(length))
                depth = max(1, _ROWS // most)
                for start in range(0, len(alike), depth):
                    yield tile, alike[start : start + depth]


def _in_all(fillers: Sequence[Sentence]) -> Counter[int]:
    """The words that every filler has, such as "The": without positions, words of the context."""
    shared = Counter(fillers[0]) if fillers else Counter[int]()
    for filler in fillers:
        shared &= Counter(filler)
    return shared


def _without(filler: Sentence, shared: Counter[int]) -> Sentence:
    return tuple((Counter(filler) - shared).elements())
