"""Encoders and corpora whose vectors are known, and ACEAT once more in plain loops."""

import hashlib
import math
from collections.abc import Mapping, Sequence

import numpy as np

from unslant.concepts.augmentation import masked
from unslant.concepts.name_table import NameTable
from unslant.core.types import Array
from unslant.datasets.conll2003 import TaggedSentence
from unslant.predictors.protocols import Sentiment, Spans
from unslant.probes.aceat.corpus import AceatCorpus, Labeller
from unslant.probes.person_mentions import source_of

WIDTH = 6


def drawn(*key: object) -> Array:
    """A random vector that depends on its key alone."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    return np.random.default_rng(list(digest)).normal(size=WIDTH)


class Tokens:
    """An encoder in which the vector of a word depends on the word and on its sentence.

    ``lean`` moves a name towards the rest of sentences with the word good.
    """

    name = "constructed"

    def __init__(self, seed: int = 0, lean: Mapping[str, float] | None = None) -> None:
        self.seed, self.lean = seed, lean or {}
        self.texts: list[str] = []

    def vectors(self, text: str) -> list[Array]:
        """One vector for each word between spaces."""
        return [drawn(self.seed, word.lower(), text.lower()) for word in text.split()]

    def name_and_rest(
        self, texts: Sequence[str], spans: Sequence[Spans], place: str = "last"
    ) -> tuple[list[Array], list[Array]]:
        self.texts += texts
        names, rests = [], []
        for text, [(start, end)] in zip(texts, spans, strict=True):
            first = len(text[:start].split())
            count = len(text[start:end].split())
            vectors = self.vectors(text)
            rest = sum([*vectors[:first], *vectors[first + count :]], np.zeros(WIDTH))
            name = np.mean(vectors[first : first + count], axis=0)
            if "good" in text:
                name = name + self.lean.get(text[start:end], 0.0) * rest
            names.append(name)
            rests.append(rest)
        return names, rests


class Words:
    """A scorer that knows a few words, and remembers what it was asked."""

    name = "words"
    known: Mapping[str, float] = {"good": 0.8, "fine": 0.3, "bad": -0.6, "poor": -0.1}

    def __init__(self) -> None:
        self.texts: list[str] = []

    def score(self, texts: Sequence[str]) -> list[float]:
        self.texts += texts
        return [max(-1.0, min(1.0, sum(self.known.get(w, 0.0) for w in t.split()))) for t in texts]


def tagged(text: str) -> TaggedSentence:
    """A sentence in which words with a capital are persons, joined by an underscore if one."""
    words: list[str] = []
    tags: list[str] = []
    for item in text.split():
        parts = item.split("_")
        words += parts
        is_person = item[0].isupper()
        tags += ["B-PER", *["I-PER"] * (len(parts) - 1)] if is_person else ["O"] * len(parts)
    return TaggedSentence(tuple(words), tuple(tags))


SENTENCES = tuple(
    map(
        tagged,
        (
            "Ann_Lee did a good job",
            "the bad news reached Bob",
            "Eve met Max at a good place",
            "Kim left",
            "nobody is here",
            "fine words from Lea today",
            "a poor game by Jo",
            "the bad news reached Bob",
            "Ida",
            "it was good of Una to call",
            "bad luck said Tom and Uma",
            "good old Ned and Pat sang a song for Ivy",
        ),
    )
)
TABLE = NameTable(
    "constructed names",
    ("gender", "race"),
    ("Ada", "Bea", "Cy Lou", "Dan", "Eli", "Flo", "Gus", "Hal"),
    tuple(zip("ffmmmfmf", "ababaabb", strict=True)),
)


def corpus(
    sentences: Sequence[TaggedSentence] = SENTENCES,
    scorer: Sentiment | None = None,
    table: NameTable = TABLE,
    limit: int = 0,
    seed: int = 0,
    neutral: float = 0.05,
) -> AceatCorpus:
    """A corpus with a scorer of its own."""
    return AceatCorpus(
        source=source_of(sentences),
        names=table,
        labeller=Labeller(scorer or Words(), mask="[NAME]", neutral=neutral, kind="PER"),
        limit=limit,
        seed=seed,
    )


def plain_associations(
    encoder: Tokens, sentences: Sequence[TaggedSentence], names: Sequence[str], extra: str = ""
) -> dict[str, float]:
    """m of each name in plain loops; ``extra`` names a published fault to repeat."""
    m = {}
    for name in names:
        sums = {True: [0.0, 0.0, 0], False: [0.0, 0.0, 0]}
        for sentence in sentences:
            [score] = Words().score([masked(sentence)])
            if not score:
                continue
            for first, last, _ in sentence.spans("PER"):
                words = [*sentence.words[:first], name, *sentence.words[last + 1 :]]
                text = " ".join(words)
                vectors = encoder.vectors(text)
                size = len(name.split())
                mine = vectors[first : first + size]
                others = vectors[:first] + vectors[first + size :]
                if extra == "padding":
                    others += [drawn("pad", place) for place in range(len(vectors), 20)]
                w = [sum(v[i] for v in mine) / size for i in range(WIDTH)]
                r = [sum(v[i] for v in others) for i in range(WIDTH)]
                if "good" in text:
                    lean = encoder.lean.get(name, 0.0)
                    w = [a + lean * b for a, b in zip(w, r, strict=True)]
                dot = sum(a * b for a, b in zip(w, r, strict=True))
                lengths = math.sqrt(sum(a * a for a in w)) * math.sqrt(sum(b * b for b in r))
                if not lengths:
                    continue
                side = sums[score > 0]
                cosine = dot / lengths
                side[0] += abs(score) * (1 - cosine if extra == "distance" else cosine)
                side[1] += abs(score)
                side[2] += 1
        (a, wa, na), (b, wb, nb) = sums[True], sums[False]
        if extra == "divided twice":
            wa, wb = wa * na, wb * nb
        m[name] = a / wa - b / wb
    return m


def plain_effect(m: Mapping[str, float], xs: Sequence[str], ys: Sequence[str]) -> float:
    """d in plain loops, with the sample's standard deviation."""
    every = [m[name] for name in (*xs, *ys)]
    mean = sum(every) / len(every)
    sd = math.sqrt(sum((value - mean) ** 2 for value in every) / (len(every) - 1))
    return (sum(m[x] for x in xs) / len(xs) - sum(m[y] for y in ys) / len(ys)) / sd
