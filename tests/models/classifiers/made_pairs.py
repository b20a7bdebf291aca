"""Small encoders, and pairs of sentences whose label follows a rule."""

import json
import random
from pathlib import Path

from tests.models.language.folders import save
from unslant.datasets.nli import Splits, read_corpus
from unslant.models.language.model import TransformerModel, load_transformer

PEOPLE = ("nurse", "doctor", "engineer", "programmer")
_SECOND = {"entailment": "she is here .", "neutral": "this is a nurse .", "contradiction": "he sat"}


def write_pairs(folder: Path, train: int = 240, dev: int = 60) -> Path:
    """SNLI's layout; the beginning of the second sentence decides the label."""
    chance = random.Random(0)
    folder.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", train), ("dev", dev)):
        lines = []
        for number in range(count):
            label = chance.choice(list(_SECOND))
            words = [chance.choice(PEOPLE) for _ in range(1 + number % 7)]
            first = f"the {' and a '.join(words)} is {part[:1]} {number} ."
            lines.append(
                json.dumps({"sentence1": first, "sentence2": _SECOND[label], "gold_label": label})
            )
        (folder / f"snli_1.0_{part}.jsonl").write_text("\n".join(lines))
    return folder


def pairs_in(folder: Path) -> Splits:
    """The pairs with their texts."""
    return read_corpus(folder, keep_texts=True)


def encoder(folder: Path, kind: str = "bert", seed: int = 0) -> TransformerModel:
    """A small random encoder without heads."""
    return load_transformer(save(folder, kind, head=False, seed=seed))
