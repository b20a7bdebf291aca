"""Sentences with words of gender, drawn for reading: the sample behind docs/swap.md.

    python -m experiments.swap_sample --seed 0 [--skip 0] [--most 50]

prints each sentence with its swap. The sentences come from StereoSet (gender and profession),
LitBank and SNLI in the folder that UNSLANT_DATA names, and are not part of this repository. A
sentence is drawn if it contains a pronoun of gender or a word of the published pair lists, so the
choice does not depend on the words that our swap knows.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unslant.concepts import concept
from unslant.concepts.swap import swap_of
from unslant.core.seeds import generator

NUMBERS = {"stereoset": 170, "litbank": 165, "snli": 165}
# Seeds and sizes of the samples that were read while the rules were written: never drawn again.
DEVELOPMENT = {
    "stereoset": [(100, 136), (101, 280)],
    "litbank": [(100, 132), (101, 1120)],
    "snli": [(100, 132)],
}
LONGEST = 400
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True)
class Sentence:
    """A sentence, where it comes from, and a hash by which it is found again."""

    source: str
    text: str

    @property
    def key(self) -> str:
        """The first digits of its SHA-256."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def sample(seed: int) -> list[Sentence]:
    """500 sentences by seed: every sentence of a source that was not seen before may be drawn."""
    found = []
    for source, number in NUMBERS.items():
        texts = _texts(source)
        seen = {
            text for old, size in DEVELOPMENT[source] for text in _drawn(texts, source, old, size)
        }
        fresh = [text for text in texts if text not in seen]
        found += [Sentence(source, text) for text in _drawn(fresh, source, seed, number)]
    return found


def _drawn(texts: Sequence[str], source: str, seed: int, size: int) -> list[str]:
    chosen = generator(seed, "swap", source).choice(len(texts), size=size, replace=False)
    return [texts[index] for index in chosen]


def _texts(source: str) -> list[str]:
    texts = set(_READERS[source]())
    return sorted(text for text in texts if len(text) <= LONGEST and has_group_word(text))


def has_group_word(text: str) -> bool:
    """Whether a text contains a pronoun of gender or a word of the published pair lists."""
    return not published_words().isdisjoint(word.lower() for word in _WORD.findall(text))


@cache
def published_words() -> frozenset[str]:
    """The words of the concept's tables of pairs, in small letters, with all pronouns."""
    tables = concept("gender").sets.values()
    words = {word.lower().rstrip(".") for table in tables for word in table.all_words}
    return frozenset(words | {"she", "he", "her", "his", "him", "hers", "herself", "himself"})


def _folder(part: str) -> Path:
    return Path(os.environ["UNSLANT_DATA"]) / part


def _stereoset() -> Iterator[str]:
    data = json.loads((_folder("stereoset") / "dev.json").read_text(encoding="utf-8"))["data"]
    for items in data.values():
        for item in items:
            if item["bias_type"] in ("gender", "profession"):
                yield from (entry["sentence"] for entry in item["sentences"])


def _litbank() -> Iterator[str]:
    for path in sorted(_folder("coref/litbank").glob("*.conll")):
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
            yield " ".join(row[3] for row in rows if len(row) > 3)


def _snli() -> Iterator[str]:
    path = _folder("nli/snli") / "snli_1.0_train_100k.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            pair = json.loads(line)
            yield from (pair["sentence1"], pair["sentence2"])


_READERS = {"stereoset": _stereoset, "litbank": _litbank, "snli": _snli}


def shown(number: int, sentence: Sentence) -> str:
    """A sentence and its swap for the reader, with what is not certain."""
    swapped = swap_of("gender")(sentence.text)
    doubts = [f"{w.old}>{w.new}:{w.status[:3]}" for w in swapped.words if w.status != "certain"]
    sure = [f"{w.old}>{w.new}" for w in swapped.words if w.status == "certain"]
    return f"{number} {sentence.text}\n  = {' '.join(sure)} | {' '.join(doubts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--most", type=int, default=500)
    given = parser.parse_args()
    for number, sentence in list(enumerate(sample(given.seed)))[given.skip :][: given.most]:
        print(shown(number, sentence))


if __name__ == "__main__":
    main()
