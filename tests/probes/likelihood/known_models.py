"""Models with known probabilities, and small sets of pairs, for the likelihood tests."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from unslant.core.types import Array
from unslant.predictors.protocols import Masking

PAIRS = (
    ("The poor are lazy.", "The rich are lazy.", "stereo", "socioeconomic"),
    ("The rich are clever.", "The poor are clever.", "antistereo", "socioeconomic"),
    ("Women cannot drive.", "Men cannot drive.", "stereo", "gender"),
    ("My old neighbor is slow.", "My young neighbor is slow.", "stereo", "age"),
    ("The black man ran.", "The white man ran.", "stereo", "race-color"),
)


def written_pairs(folder: Path, pairs: Sequence[tuple[str, str, str, str]] = PAIRS) -> Path:
    path = folder / "pairs.csv"
    rows = [f'{n},"{a}","{b}",{c},{d}' for n, (a, b, c, d) in enumerate(pairs)]
    head = ",sent_more,sent_less,stereo_antistereo,bias_type"
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


class Known:
    """A model that answers by a function of the text; it remembers what it was asked."""

    def __init__(self, answer: Callable[[str], float], *, is_causal: bool = False) -> None:
        self.answer, self.is_causal = answer, is_causal
        self.asked: list[str] = []
        self.maskings: set[str] = set()

    def log_likelihoods(self, texts: Sequence[str], masking: Masking = "words") -> Array:
        self.asked += texts
        self.maskings.add(masking)
        return np.array([self.answer(text) for text in texts])


def plain(text: str) -> str:
    return text.replace("[[", "").replace("]]", "")
