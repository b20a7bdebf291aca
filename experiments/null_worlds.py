"""How often do probes call a model without bias biased, and find a planted bias?

    python -m experiments.null_worlds

Every model here has strong preferences of its own: for single names and words, for names in single
templates, for single occupations with a pronoun. In the null worlds these are drawn at random and
have nothing to do with the groups, so every claim of bias is false. In the planted worlds the same
models also prefer a group. A row is skipped if the table has it.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.measurement import Measurement
from unslant.datasets.coreference.document import Clusters
from unslant.measures.registry import measure_from
from unslant.measures.setting import Findings, Setting
from unslant.probes.coreference.probe import TextSet
from unslant.probes.eec.corpus import corpus
from unslant.probes.eec.differences import contrasts, measured
from unslant.probes.winobias.sentences import occupations, sentence_pairs
from unslant.probes.winogender.scoring import winogender

RESULTS = Path(__file__).parent / "results" / "null-worlds.csv"
COLUMNS = ("probe", "world", "planted", "score", "models", "called biased")
MODELS = 200
"""In a null world; in a planted one, half as many."""
RESAMPLES = 300
_OTHER = {"female": "male", "male": "female"}

Words = tuple[str, ...]
World = Callable[[np.random.Generator, float], Any]


class Scorer:
    """A sentiment score for each of the sentences of the Equity Evaluation Corpus."""

    def __init__(self, scores: NDArray[np.float64]) -> None:
        self.scores = dict(zip(_texts(), np.tanh(scores).tolist(), strict=True))

    def score(self, texts: Sequence[str]) -> list[float]:
        """What the probe asks."""
        return [self.scores[text] for text in texts]


class Resolver:
    """The clusters of each sentence."""

    def __init__(self, clusters: Mapping[Words, Clusters]) -> None:
        self.clusters = clusters

    def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
        """What the probe asks."""
        return [self.clusters[tuple(words)] for words in documents]


@cache
def _texts() -> list[str]:
    return corpus().texts


@cache
def _asked(probe: str) -> TextSet:
    return sentence_pairs("dev") if probe == "winobias" else winogender()


@cache
def _word_counts() -> NDArray[np.float64]:
    """Sentences × the different words of the corpus."""
    rows = [Counter(re.findall(r"\w+", text.lower())) for text in _texts()]
    words = sorted(set().union(*rows))
    return np.array([[row[word] for word in words] for row in rows], dtype=np.float64)


def _group(name: str) -> NDArray[np.float64]:
    """Whether each sentence is about a person of a group."""
    is_in = [name in (one.gender, one.race) for one in corpus().people]
    return np.tile(np.array(is_in, dtype=np.float64), len(corpus().items))


def random_words(rng: np.random.Generator, planted: float) -> Scorer:
    """Every word has an effect of its own; planted: added for women and African American names."""
    counts = _word_counts()
    added = planted * (_group("female") + _group("African-American"))
    return Scorer(counts @ rng.normal(0, 0.15, counts.shape[1]) + added)


def one_loud_name(rng: np.random.Generator, planted: float) -> Scorer:
    """One name or phrase has a strong effect, as a name that is also a word of the lexicon."""
    people = rng.normal(0, 0.02, len(corpus().people))
    people[rng.integers(len(people))] += rng.choice([-0.8, 0.8])
    return Scorer(np.tile(people, len(corpus().items)))


def names_in_templates(rng: np.random.Generator, planted: float) -> Scorer:
    """Each person has an effect, and another in every template and with every emotion word."""
    people, items = len(corpus().people), corpus().items
    effects: dict[str, NDArray[np.float64]] = {}
    rows = []
    for item in items:
        for key in (item.template, item.word):
            if key not in effects:
                # What a template or a word adds for women is as random as all else.
                shift = rng.normal(0, 0.1) * _group("female")[:people]
                effects[key] = rng.normal(0, 0.1, people) + shift
        rows.append(effects[item.template] + effects[item.word])
    return Scorer((np.stack(rows) + rng.normal(0, 0.1, people)).ravel())


def occupations_and_pronouns(rng: np.random.Generator, planted: float) -> Resolver:
    """WinoBias: the pronoun is the occupation that is preferred with it, with some noise."""
    liking = {(name, one): rng.normal() for name in occupations() for one in _OTHER}
    for name, gender in occupations().items():
        liking[name, gender] += planted
    found: dict[Words, Clusters] = {}
    for pair in _asked("winobias").items:
        names = [pair.occupation(gender) for gender in _OTHER]
        true = " ".join(pair.pro.words[slice(*min(pair.pro.clusters[0]))])
        right, wrong = names if true.endswith(names[0]) else reversed(names)
        fits = occupations()[right]
        for document, other, gender in zip(
            pair.versions, pair.others, (fits, _OTHER[fits]), strict=True
        ):
            mentions = sorted(document.clusters[0])
            is_right = liking[right, gender] - liking[wrong, gender] + rng.normal() > 0
            found[document.words] = ((mentions[0] if is_right else other, *mentions[1:]),)
    return Resolver(found)


def people_and_pronouns(rng: np.random.Generator, planted: float) -> Resolver:
    """Winogender: the same with participants; planted: the occupation for male pronouns only."""
    liking: dict[tuple[str, str], float] = {}
    found: dict[Words, Clusters] = {}
    for item in _asked("winogender").items:
        for gender, (words, pronoun) in item.versions.items():
            first, second = (
                liking.setdefault((name, gender), rng.normal())
                for name in (item.occupation, item.other)
            )
            leans = first - second + rng.normal() + planted * (gender == "male")
            found[words] = ((item.people[0 if leans > 0 else 1], pronoun),)
    return Resolver(found)


WORLDS: tuple[tuple[str, World, float], ...] = (
    ("eec", random_words, 0.0),
    ("eec", one_loud_name, 0.0),
    ("eec", names_in_templates, 0.0),
    ("eec", random_words, 0.15),
    ("eec", random_words, 0.3),
    ("winobias", occupations_and_pronouns, 0.0),
    ("winobias", occupations_and_pronouns, 0.5),
    ("winobias", occupations_and_pronouns, 1.0),
    ("winogender", people_and_pronouns, 0.0),
    ("winogender", people_and_pronouns, 1.0),
)
SCORES = {
    "eec": ("gender", "race"),
    "winobias": ("winobias-difference-both", "winobias-difference-type1"),
    "winogender": ("winogender-difference-all", "winogender-difference-occupation"),
}


def claims(probe: str, world: World, planted: float, models: int) -> dict[str, int]:
    """How many of the models each score calls biased."""
    found = dict.fromkeys(SCORES[probe], 0)
    for seed in range(models):
        model = world(np.random.default_rng([seed, round(100 * planted)]), planted)
        run = _of_eec if probe == "eec" else _of_coreference
        for score, one in run(probe, model, seed).items():
            found[score] += is_claim(one)
    return found


def is_claim(one: Measurement) -> bool:
    """Whether a difference is called a bias: by its interval, and by its p-value if it has one."""
    assert one.interval is not None
    misses = one.interval.low > 0 or one.interval.high < 0
    return misses and (one.p is None or one.p.value < 0.05)


def _of_eec(probe: str, model: Scorer, seed: int) -> dict[str, Measurement]:
    every = range(len(corpus().items))
    scores = np.array(model.score(_texts())).reshape(len(every), -1)
    return {
        contrast.name: measured(
            contrast, every, name=contrast.name, title="", key="", seed=seed, resamples=RESAMPLES
        )
        for contrast in contrasts(corpus(), scores)
    }


def _of_coreference(probe: str, model: Resolver, seed: int) -> dict[str, Measurement]:
    asker = measure_from(f"{probe}(resamples={RESAMPLES}, seed={seed})")
    found = asker.run(model, _asked(probe), Setting())
    assert isinstance(found, Findings)
    return {one.metric: one for one in found.measurements if one.metric in SCORES[probe]}


def rows() -> Iterator[tuple[str, str, float, World]]:
    for probe, world, planted in WORLDS:
        yield probe, world.__name__.replace("_", " "), planted, world


def main() -> None:
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {(row["probe"], row["world"], row["planted"]) for row in csv.DictReader(file)}
    else:
        RESULTS.write_text(",".join(COLUMNS) + "\n")
    for probe, name, planted, world in rows():
        if (probe, name, str(planted)) in done:
            continue
        models = MODELS // 2 if planted else MODELS
        found = claims(probe, world, planted, models)
        with RESULTS.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [probe, name, planted, score, models, count] for score, count in found.items()
            )
        print(probe, name, planted, found, flush=True)


if __name__ == "__main__":
    main()
