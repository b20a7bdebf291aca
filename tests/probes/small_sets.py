"""Small sets of pairs and answers for tests."""

from collections.abc import Mapping

import numpy as np

from unslant.predictors.protocols import Context, PairGrid
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.pairset import PairSet

Groups = Mapping[str, tuple[int, ...]]


def small_set(
    premises: int | tuple[str, ...] = 2,
    hypotheses: int | tuple[str, ...] = 2,
    contexts: int | tuple[tuple[str, str], ...] = 2,
    *,
    family: str = "neutrality",
    premise_groups: Groups | None = None,
    hypothesis_groups: Groups | None = None,
    kinds: Groups | None = None,
    same_word: bool = True,
) -> PairSet:
    p = premises if isinstance(premises, tuple) else tuple(f"p{i}" for i in range(premises))
    h = hypotheses if isinstance(hypotheses, tuple) else tuple(f"h{i}" for i in range(hypotheses))
    c = (
        contexts
        if isinstance(contexts, tuple)
        else tuple((f"v{i % 3}", f"o{i}") for i in range(contexts))
    )
    return PairSet(
        name="small",
        title="Small",
        about="",
        cites=(),
        family=family,
        grid=PairGrid(
            tuple(f"The {word}" for word in p),
            tuple(f"The {word}" for word in h),
            tuple(Context("", f"{verb} a {thing} .") for verb, thing in c),
        ),
        premise_words=p,
        hypothesis_words=h,
        context_words=c,
        premise_groups=premise_groups or {},
        hypothesis_groups=hypothesis_groups or {},
        kinds=kinds or {},
        same_word=same_word,
    )


def random_answers(pairs: PairSet, seed: int = 0) -> Answers:
    rng = np.random.default_rng(seed)
    drawn = rng.dirichlet([1.0, 1.5, 1.0], size=pairs.grid.shape)
    return Answers(pairs, drawn.astype(np.float32))
