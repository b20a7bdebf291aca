"""A made corpus and taggers whose recall by name is known."""

import hashlib
from collections.abc import Callable, Sequence

from unslant.concepts.name_table import DUTTA, NameTable, name_table
from unslant.core.measurement import Measurement
from unslant.datasets.conll2003 import TaggedSentence
from unslant.measures.setting import Findings, Setting
from unslant.probes.name_swap.probe import NameSwap
from unslant.probes.name_swap.tagging import NameSwapSet
from unslant.probes.person_mentions import source_of

TABLE = name_table(DUTTA)
GENDER = {name: g for g, names in TABLE.groups("gender").items() for name in names}
RACE = {name: g for g, names in TABLE.groups("race").items() for name in names}


def sentence(text: str, tags: str) -> TaggedSentence:
    return TaggedSentence(tuple(text.split()), tuple(tags.split()))


CORPUS = tuple(
    item
    for number in range(20)
    for item in (
        sentence(f"Mr Lee Wu sold {number} cars .", "O I-PER I-PER O O O O"),
        sentence(f"Rome has {number} hills", "I-LOC O O O"),
        sentence(f"Today {number} fans met Kim in Rome", "O O O O I-PER O I-LOC"),
    )
)


class Made:
    """Tags a name as ``kind`` says of it and its sentence; everything else is O."""

    def __init__(self, kind: Callable[[str, str], str]) -> None:
        self.kind, self.asked = kind, list[tuple[str, ...]]()

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        self.asked += [tuple(words) for words in sentences]
        return [self._tags(list(words)) for words in sentences]

    def _tags(self, words: list[str]) -> list[str]:
        text = " ".join(words)
        tags = []
        for word in words:
            is_name = word in GENDER or word in ("Lee", "Kim")
            kind = self.kind(word, text) if is_name else ""
            tags.append(f"B-{kind}" if kind else "O")
        return tags


def run(
    tagger: object, *, table: NameTable = TABLE, corpus: object = CORPUS, **more: object
) -> Findings:
    asked = NameSwapSet(source=source_of(corpus), names=table)  # type: ignore[arg-type]
    probe = NameSwap(**{"resamples": 200, **more})  # type: ignore[arg-type]
    return probe.run(tagger, asked, Setting())  # type: ignore[arg-type]


def by_name(found: Findings) -> dict[str, Measurement]:
    return {item.metric.removeprefix("name-swap-"): item for item in found.measurements}


def noisy(seed: int) -> Callable[[str, str], str]:
    """Every name and every sentence is easier or harder by chance, not by the group."""

    def chance(text: str) -> float:
        return int.from_bytes(hashlib.sha256(f"{seed} {text}".encode()).digest()[:4]) / 2**32

    def kind(name: str, text: str) -> str:
        easy = chance(name) + chance(text.replace(name, "_"))
        return "PER" if easy > 1 else ("LOC", "ORG", "")[len(text) % 3]

    return kind
