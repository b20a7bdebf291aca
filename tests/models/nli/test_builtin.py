"""The model in the package, asked without torch on the vectors in the package."""

from pathlib import Path

import numpy as np

from tests.datasets.pairs_in import pairs_in
from unslant.models.nli.trained import builtin_nli
from unslant.vectors import WordVectors


def test_it_is_right_on_78_of_100_pairs_of_snlis_dev_set(data: Path, glove: WordVectors) -> None:
    pairs = list(pairs_in(data / "nli" / "snli" / "s1.dev"))
    assert len(pairs) > 9_000
    premises, hypotheses, labels = zip(*pairs, strict=True)
    answers = builtin_nli().on(glove).predict(premises, hypotheses)
    accuracy = float((answers.argmax(axis=1) == np.array(labels)).mean())
    assert accuracy >= 0.78
