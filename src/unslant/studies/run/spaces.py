"""The vectors after a method, computed once on each machine."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from unslant.concepts import Concept, WordPolicy
from unslant.methods import fit, save_debiased
from unslant.studies.run.machine_cache import made_once
from unslant.vectors import WordVectors
from unslant.vectors.load import load_kept

_KEPT_OPEN = 4


def debiased_once(
    vectors: WordVectors,
    method: str,
    concept: Concept,
    policy: WordPolicy,
    inputs: Mapping[str, Any],
    most_bytes: int,
) -> WordVectors:
    """The vectors after a method; ``inputs`` is everything that they depend on."""

    def make(path: Path) -> None:
        save_debiased(vectors, fit(method, vectors, concept, policy), path)

    return made_once(inputs, most_bytes, make=make, read=_mapped)


@lru_cache(maxsize=_KEPT_OPEN)
def _mapped(path: Path) -> WordVectors:
    return load_kept(path)
