"""Tagged sentences of a small vocabulary whose tags follow a rule."""

import random
from pathlib import Path

from unslant.datasets.conll2003 import TaggedSentence

KINDS = {"nurse": "PER", "doctor": "PER", "engineer": "LOC"}
"""The rule: these words are entities, also with an ending; two in a row are one if of one kind."""
_OTHERS = ("the", "is", "here", "there", "sat", "down", "and", ".")
_WORDS = ("nurse", "nurses", "doctor", "doctorer", "engineer", "engineers")


def sentences(count: int, seed: int) -> list[TaggedSentence]:
    """Random sentences, tagged in IOB1 by the rule."""
    chance = random.Random(seed)
    found = []
    for _ in range(count):
        words = [
            chance.choice(_WORDS if chance.random() < 0.4 else _OTHERS)
            for _ in range(chance.randint(2, 9))
        ]
        tags = [f"I-{kind}" if (kind := _kind(word)) else "O" for word in words]
        found.append(TaggedSentence(tuple(words), tuple(tags)))
    return found


def _kind(word: str) -> str:
    return next((kind for stem, kind in KINDS.items() if word.startswith(stem)), "")


def write_tags(folder: Path, train: int = 200, test: int = 40) -> Path:
    """The layout of CoNLL-2003."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, (part, count) in enumerate((("train", train), ("testa", test), ("testb", test))):
        lines = []
        for item in sentences(count, seed):
            pairs = zip(item.words, item.tags, strict=True)
            lines += [f"{word} X {tag}" for word, tag in pairs] + [""]
        (folder / f"eng.{part}").write_text("\n".join(lines) + "\n")
    return folder
