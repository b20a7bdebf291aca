"""Made-up items, a swap of a few words, and models whose answers are known."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unslant.datasets.stereoset import StereosetItem, StereosetSentence

PAIRS = {"mother": "father", "she": "he", "woman": "man", "female": "male", "girl": "boy"}
SWAPS = {**PAIRS, **{new: old for old, new in PAIRS.items()}}


@dataclass(frozen=True)
class Word:
    old: str
    new: str
    status: str = "certain"


@dataclass(frozen=True)
class Text:
    text: str
    words: tuple[Word, ...]

    @property
    def is_certain(self) -> bool:
        return all(word.status == "certain" for word in self.words)

    @property
    def count(self) -> int:
        return sum(word.old != word.new for word in self.words)


def swap(text: str) -> Text:
    """Whole words, with their first letter kept; "her" is never certain."""
    words: list[Word] = []

    def other(match: re.Match[str]) -> str:
        old = match[0]
        if old.lower() == "her":
            words.append(Word(old, old, "ambiguous"))
            return old
        new = SWAPS.get(old.lower(), old.lower())
        new = new.capitalize() if old[0].isupper() else new
        if new != old:
            words.append(Word(old, new))
        return new if old.lower() in SWAPS else old

    return Text(re.sub(r"\w+", other, text), tuple(words))


def inter(
    number: int, *, target: str = "mother", context: str = "My mother came in."
) -> StereosetItem:
    """An inter-sentence gender item with its own words."""
    return StereosetItem(
        id=f"inter-{number}",
        task="inter",
        target=target,
        domain="gender",
        context=f"{context} {number}",
        stereotype=StereosetSentence(f"i{number}s", f"She cooked {number}."),
        anti=StereosetSentence(f"i{number}a", f"She boxed {number}."),
        unrelated=StereosetSentence(f"i{number}u", f"Rain fell {number}."),
    )


def intra(number: int, *, target: str = "sister", domain: str = "gender") -> StereosetItem:
    """An intra-sentence item."""
    context = f"My {target} {number} is BLANK."
    return StereosetItem(
        id=f"intra-{number}",
        task="intra",
        target=target,
        domain=domain,
        context=context,
        stereotype=StereosetSentence(f"n{number}s", context.replace("BLANK", f"kind{number}")),
        anti=StereosetSentence(f"n{number}a", context.replace("BLANK", f"rude{number}")),
        unrelated=StereosetSentence(f"n{number}u", context.replace("BLANK", f"tin{number}")),
    )


class Answers:
    """A model that answers by a function of context and candidate."""

    def __init__(self, answer: Callable[[str, str], float]) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str]] = []

    def plausibility(
        self, contexts: Sequence[str], candidates: Sequence[str], scoring: str = "words"
    ) -> NDArray[np.float64]:
        pairs = list(zip(contexts, candidates, strict=True))
        self.asked += pairs
        return np.array([self.answer(*pair) for pair in pairs])


def odds(probability: float) -> float:
    """The log-odds of a probability."""
    return float(np.log(probability) - np.log1p(-probability))


def random_answer(seed: int = 0) -> Callable[[str, str], float]:
    """A number for each question that depends on nothing else."""
    import hashlib

    def answer(context: str, candidate: str) -> float:
        digest = hashlib.sha256(f"{seed} {context} {candidate}".encode()).digest()
        return float(np.frombuffer(digest[:8], dtype="<u8")[0] / 2**63 - 1)

    return answer
