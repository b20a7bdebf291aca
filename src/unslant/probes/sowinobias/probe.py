"""The SoWinoBias probe."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from unslant.core.better import LARGER, toward
from unslant.core.example import Example
from unslant.core.exhibits import Exhibit
from unslant.core.parameters import at_least
from unslant.core.scale import DIFFERENCE
from unslant.core.score import Range, Score
from unslant.core.types import Details, Mask
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.predictors.coreference import Coreference
from unslant.probes.coreference.asking import NEITHER, SEVERAL, Question, outcomes
from unslant.probes.coreference.comparison import Comparison, without_values
from unslant.probes.coreference.exhibits import examples, outcome_shares, table_of
from unslant.probes.coreference.probe import CoreferenceProbe, TextSet
from unslant.probes.coreference.resampling import Resampling
from unslant.probes.sowinobias.sentences import ANTI, NEGATIVE, POSITIVE, PRO, sentences

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


def _cases(questions: list[Question], given: list[int]) -> Iterator[tuple[str, ...]]:
    for place in range(0, len(given), 2):
        if given[place] == 1 and given[place + 1] != 1:
            pro, anti = questions[place : place + 2]
            yield pro.text, anti.text, anti.said(given[place + 1])
