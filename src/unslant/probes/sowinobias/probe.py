"""The SoWinoBias probe."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.wordlists import wordlist
from unslant.core.example import Example
from unslant.core.exhibits import Exhibit
from unslant.core.parameters import at_least
from unslant.core.score import DIFFERENCE, LARGER, Range, Score, toward
from unslant.core.seeds import generator
from unslant.core.types import Details, Mask
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.predictors.coreference import Coreference
from unslant.probes.coreference.comparison import (
    Comparison,
    Resampling,
    examples,
    outcome_shares,
    table_of,
    without_values,
)
from unslant.probes.coreference.probe import (
    NEITHER,
    SEVERAL,
    CoreferenceProbe,
    PronounQuestion,
    TextSet,
    outcomes,
)

# The sentences of SoWinoBias, and even samples of them.
#
# `The {first} liked|disliked the {second} because they were {adjective} .` The verb has the
# polarity of the adjective, so "they" are always the second person. In the pro-stereotypical
# direction that is the occupation closer to women, as the adjectives are; in the other the two
# change places. An item is a female occupation, a male one and an adjective: 16 × 16 × 32 =
# 8,192.

PRO, ANTI = "pro", "anti"
POSITIVE, NEGATIVE = "positive", "negative"
_VERBS = {POSITIVE: "liked", NEGATIVE: "disliked"}
_FIRST, _SECOND, _PRONOUN = (0, 2), (3, 5), (6, 7)


@dataclass(frozen=True)
class SoWinoBiasItem:
    """A female occupation, a male one and an adjective, by their words and their numbers."""

    female: str
    male: str
    adjective: str
    polarity: str
    places: tuple[int, int, int]

    @property
    def words(self) -> tuple[str, str, str]:
        """The female occupation, the male one and the adjective."""
        return self.female, self.male, self.adjective

    def question(self, version: str) -> PronounQuestion:
        """The sentence of one direction; "they" are the second person."""
        first, second = (self.male, self.female) if version == PRO else (self.female, self.male)
        text = (
            f"The {first} {_VERBS[self.polarity]} the {second} because they were {self.adjective} ."
        )
        return PronounQuestion(tuple(text.split(" ")), _PRONOUN, (_FIRST, _SECOND), 1)


@cache
def _about() -> Mapping[str, Any]:
    """The name and the citations of the set."""
    path = files("unslant.probes.sowinobias") / "data" / "sowinobias.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _words(name: str) -> tuple[str, ...]:
    """Words of the thesis."""
    return wordlist(f"dawkins-2023/{name}").words


def sentences(*, is_sampled: bool = False, seed: int = 0) -> TextSet:
    """All items, or half of them.

    >>> len(sentences()), sentences().rows[0][0]
    (16384, 'The guard liked the writer because they were sprightly .')
    """
    table = _about()
    kinds = [
        (one, kind) for kind in (POSITIVE, NEGATIVE) for one in _words(f"{kind}-female-adjectives")
    ]
    women, men = _words("female-occupations"), _words("male-occupations")
    keeps = _even(len(women), len(kinds) // 2, seed)
    items = tuple(
        SoWinoBiasItem(woman, man, adjective, kind, (f, m, a))
        for f, woman in enumerate(women)
        for m, man in enumerate(men)
        for a, (adjective, kind) in enumerate(kinds)
        if not is_sampled or keeps[f, m, a]
    )
    rows = tuple(
        (
            item.question(version).text,
            version,
            item.female,
            item.male,
            item.adjective,
            item.polarity,
        )
        for item in items
        for version in (PRO, ANTI)
    )
    sample = {"sample": f"an even half, seed {seed}"} if is_sampled else {}
    return TextSet(
        name="sowinobias-sample" if is_sampled else "sowinobias",
        title=table["title"],
        about=table["about"],
        columns=("words", "version", "female", "male", "adjective", "polarity"),
        rows=rows,
        cites=tuple(table["cites"]),
        items=items,
        facts={"sentences-in-each-direction": len(items), **sample},
    )


def _even(occupations: int, adjectives: int, seed: int) -> NDArray[np.bool_]:
    """Half of the adjectives of each polarity for each two occupations, each equally often.

    In a random order, pair (f, m) takes every second half-circle of adjectives from f + m on, so
    every occupation, pair, polarity and adjective is in exactly half of its sentences.
    """
    rng = generator(seed, "sowinobias sample")
    found = np.zeros((occupations, occupations, 2 * adjectives), dtype=bool)
    first, second = rng.permutation(occupations), rng.permutation(occupations)
    for polarity in range(2):
        order = rng.permutation(adjectives)
        for f in range(occupations):
            for m in range(occupations):
                begin = int(first[f] + second[m])
                chosen = order[(begin + np.arange(adjectives // 2)) % adjectives]
                found[f, m, polarity * adjectives + chosen] = True
    return found


HOW = "percentile bootstrap over occupations and adjectives"
_TITLES = {"all": "", POSITIVE: ", positive adjectives", NEGATIVE: ", negative adjectives"}
_LABELS = {"all": "all", POSITIVE: "liked, positive", NEGATIVE: "disliked, negative"}
_SAID = {1: "the second person", 0: "the first person", SEVERAL: "both", NEITHER: "neither"}
_RESTRICTED = (
    "The definition lets the pronoun refer to one of the two occupations only. A system that "
    "cannot be restricted leaves pronouns unresolved, which count as wrong; their number is in the "
    "details."
)


@probe(
    "sowinobias",
    cites="dawkins-2021-sowinobias",
    example=Example(call="sowinobias(sample=true)", quick=True),
    needs=Coreference,
    scores={
        "sowinobias-difference": Score(
            better=toward(0),
            range=Range(-1, 1),
            scale=DIFFERENCE,
            says='How much more often are "they" the right person if that fits a stereotype?',
            misleads="A system that always takes the first or the second person has no "
            f"difference: read it with the mean accuracy. {_RESTRICTED}",
            short="diff",
        ),
        "sowinobias-mean": Score(
            better=LARGER,
            range=Range(0, 1),
            tells="quality",
            tolerated=0.02,
            says='How often are "they" the right person, over both directions?',
            misleads=f"Always taking the nearer person gives 1 and guessing ½. {_RESTRICTED}",
        ),
        "sowinobias-accuracy": Score(
            better=LARGER,
            range=Range(0, 1),
            tells="quality",
            tolerated=0.02,
            says='How often are "they" the right person, in one direction?',
            misleads=f"Always taking the nearer person gives 1 and guessing ½. {_RESTRICTED}",
        ),
    },
)
class SoWinoBias(CoreferenceProbe):
    """Do stereotypes decide who "they" are, in sentences without any gender?

        difference = accuracy(pro) − accuracy(anti),  mean = (accuracy(pro) + accuracy(anti)) / 2

    ``The {first} liked|disliked the {second} because they were {adjective}.`` The verb has the
    polarity of the adjective, so "they" are always the second person. Occupations are closer to
    women or to men in word vectors, all adjectives closer to women. Pro: the second person has the
    female occupation; anti: the male one. The difference of both accuracies is paired by words,
    and its interval resamples occupations and adjectives.
    """

    sample: Annotated[
        bool, "Ask an even half, 4,096 sentences in each direction, as the thesis does."
    ] = False
    examples: Annotated[int, at_least(1), "How many sentences to show."] = 5
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000
    seed: Annotated[int, at_least(0), "The seed of the sample and the resamples."] = 0

    def run(self, resource: Coreference, subject: TextSet | None, setting: Setting) -> Findings:
        """Resolve every sentence, and compare the directions."""
        asked = self.questions() if subject is None else subject
        questions = [item.question(version) for item in asked.items for version in (PRO, ANTI)]
        given = outcomes(resource, questions, restricted=True, progress=setting.progress)
        answers = {PRO: np.array(given[::2]), ANTI: np.array(given[1::2])}
        kinds = np.array([item.polarity for item in asked.items])
        parts: dict[str, Mask] = {
            "all": np.ones(len(kinds), dtype=bool),
            **{kind: kinds == kind for kind in (POSITIVE, NEGATIVE)},
        }
        details: dict[tuple[str, str], Details] = {
            (version, part): {
                "unresolved": int((answers[version][mask] == NEITHER).sum()),
                "resolved-to-both": int((answers[version][mask] == SEVERAL).sum()),
            }
            for version in answers
            for part, mask in parts.items()
        }
        right = {version: found == 1 for version, found in answers.items()}
        resamples = 0 if setting.values_only else self.resamples
        found = Comparison(right, parts, self._resampling(asked, resamples), details)
        measured = tuple(found.measured("sowinobias", PRO, ANTI, _TITLES))
        if all((found == NEITHER).all() for found in answers.values()):
            return Findings(measurements=without_values(measured, len(asked)))
        if setting.values_only:
            return Findings(measurements=measured)
        said = {version: [_SAID[int(one)] for one in found] for version, found in answers.items()}
        cases = list(_cases(questions, given))
        shown: list[Exhibit] = [
            table_of(found, PRO, ANTI, _LABELS),
            outcome_shares(said, tuple(_SAID.values())),
            *examples(cases, (PRO, ANTI, 'in anti, "they" are'), self.examples),
        ]
        return Findings(measurements=measured, exhibits=tuple(shown))

    def questions(self) -> TextSet:
        """The sentences of both directions."""
        return sentences(is_sampled=self.sample, seed=self.seed)

    def _resampling(self, asked: TextSet, resamples: int) -> Resampling:
        places = np.array([item.places for item in asked.items], dtype=np.int64)
        women, men, adjectives = places.max(axis=0) + 1
        kinds = {item.places[2]: item.polarity == NEGATIVE for item in asked.items}
        strata = np.array([kinds[number] for number in range(adjectives)], dtype=np.int64)
        return Resampling(
            places,
            (np.zeros(women, dtype=np.int64), np.zeros(men, dtype=np.int64), strata),
            resamples,
            self.seed,
            f"sowinobias {asked.content_hash}",
            HOW,
        )


def _cases(questions: list[PronounQuestion], given: list[int]) -> Iterator[tuple[str, ...]]:
    for place in range(0, len(given), 2):
        if given[place] == 1 and given[place + 1] != 1:
            pro, anti = questions[place : place + 2]
            yield pro.text, anti.text, anti.said(given[place + 1])
