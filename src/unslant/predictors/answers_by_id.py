"""Answers made elsewhere that are stored by the ids of sentences, not by their texts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import UnslantError
from unslant.core.files import sha256_of_file
from unslant.core.wording import some

_SHOWN = 3


class AnswersById:
    """The score of each sentence of a known set; it cannot be asked about any other text."""

    def __init__(self, path: str | Path, answers: Mapping[str, float]) -> None:
        self.path, self.name = Path(path), Path(path).name
        self.sha256 = sha256_of_file(self.path)
        self._answers = answers

    def of(self, ids: Sequence[str]) -> NDArray[np.float64]:
        """One score for each id; those that have none are named."""
        missing = [name for name in ids if name not in self._answers]
        if missing:
            raise UnslantError(
                f"{self.path} has no score for {len(missing):,} of {len(ids):,} sentences: "
                f"{some(missing, _SHOWN)}. A score of the others alone would not be "
                f"comparable; add the missing ones."
            )
        return np.array([self._answers[name] for name in ids], dtype=np.float64)

    def plausibility(self, contexts: Sequence[str], candidates: Sequence[str]) -> NoReturn:
        """Refuse: texts have no ids."""
        raise UnslantError(f"{self.path} has scores by id only, so it cannot be asked about texts.")
