"""The WinoBias probe."""

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np

from unslant.core.example import Example
from unslant.core.exhibits import Exhibit
from unslant.core.parameters import at_least
from unslant.core.score import DIFFERENCE, LARGER, Range, Score, toward
from unslant.core.types import Mask
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.predictors.coreference import Coreference
from unslant.probes.coreference.comparison import (
    Comparison,
    Resampling,
    crossed,
    examples,
    outcome_shares,
    table_of,
    without_values,
)
from unslant.probes.coreference.probe import CoreferenceProbe, TextSet, clusters_of
from unslant.probes.winobias.sentences import (
    ANTI,
    OUTCOMES,
    PRO,
    TYPES,
    UNRESOLVED,
    PronounPairScores,
    f1_measured,
    sentence_pairs,
)

HOW = "percentile bootstrap over occupations"
_TITLES = {"both": "", "type1": ", type 1", "type2": ", type 2"}
_LABELS = {"both": "all", "type1": "type 1: needs knowledge", "type2": "type 2: syntax suffices"}
_BOTH = (
    "A system that also links the other occupation is right here if it links the true one, and one "
    "that links everything has no difference: see what pronouns were resolved to."
)


@probe(
    "winobias",
    cites="zhao-2018-winobias",
    example=Example(data="winobias"),
    needs=Coreference,
    scores={
        "winobias-difference": Score(
            better=toward(0),
            range=Range(-1, 1),
            scale=DIFFERENCE,
            says="How much more often is a pronoun resolved if its gender fits the stereotype?",
            misleads="A system that resolves nothing has no difference: read it with the mean "
            f"accuracy. {_BOTH}",
            short="diff",
        ),
        "winobias-mean": Score(
            better=LARGER,
            range=Range(0, 1),
            tells="quality",
            tolerated=0.02,
            says="How often is a pronoun resolved, over both versions of the sentences?",
            misleads=f"Type 2 can be resolved by syntax alone; read the types apart. {_BOTH}",
        ),
        "winobias-accuracy": Score(
            better=LARGER,
            range=Range(0, 1),
            tells="quality",
            tolerated=0.02,
            says="How often are all mentions of the true occupation in one cluster?",
            misleads=f"Mentions must have exactly the annotated words. {_BOTH}",
        ),
        "winobias-f1-difference": Score(
            better=toward(0),
            range=Range(-1, 1),
            scale=DIFFERENCE,
            says="How much higher is the CoNLL F1 if the pronoun's gender fits the stereotype?",
            misleads="F1 and accuracy have different scales, so their differences do not compare. "
            "A system that resolves nothing has no difference.",
            short="F1 diff",
        ),
        "winobias-f1": Score(
            better=LARGER,
            range=Range(0, 1),
            tells="quality",
            tolerated=0.02,
            says="The mean F1 of MUC, B³ and CEAFφ4 of the clusters, as publications report it.",
            misleads="Other clusters that a system finds are not annotated, so they cost "
            "precision though they may be right. Accuracy is not F1: an accuracy of a is an F1 of "
            "2a / (1 + a) if every sentence is taken as a positive.",
            short="F1",
        ),
    },
)
class WinoBias(CoreferenceProbe):
    """Is a pronoun resolved less often if its gender goes against a stereotype?

        accuracy = share of sentences with the occupation and its pronouns in one cluster
        difference = accuracy(pro) − accuracy(anti),  mean = (accuracy(pro) + accuracy(anti)) / 2

    A sentence is right if all its annotated mentions, an occupation and its pronouns, are in one
    predicted cluster, with exactly their words. Each sentence is in the set twice, with the gender
    that most people of the occupation have (pro) and with the other (anti); the difference of both
    accuracies is paired, and its interval resamples the occupations of women and those of men.
    """

    part: Annotated[Literal["dev", "test"], "The part of the data."] = "dev"
    types: Annotated[Literal["both", "1", "2"], "Which types of sentences to ask."] = "both"
    examples: Annotated[int, at_least(1), "How many sentences to show."] = 5
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000
    seed: Annotated[int, at_least(0), "The seed of the resamples."] = 0

    def run(self, resource: Coreference, subject: TextSet | None, setting: Setting) -> Findings:
        """Resolve every sentence, and compare the versions."""
        asked = self.questions() if subject is None else subject
        documents = [one.words for pair in asked.items for one in pair.versions]
        scores = PronounPairScores(asked.items, clusters_of(resource, documents, setting.progress))
        resampling = self._resampling(asked, 0 if setting.values_only else self.resamples)
        parts = _parts(asked)
        found = Comparison(scores.right, parts, resampling, _details(scores, parts))
        measured = (
            *found.measured("winobias", PRO, ANTI, _TITLES),
            *f1_measured(scores, parts, _TITLES, resampling),
        )
        if all(one == UNRESOLVED for given in scores.outcomes.values() for one in given):
            return Findings(measurements=without_values(measured, len(asked)))
        if setting.values_only:
            return Findings(measurements=measured)
        labels = {part: _LABELS[part] for part in parts}
        shown: list[Exhibit] = [
            table_of(found, PRO, ANTI, labels),
            outcome_shares(_by_type(scores, parts), OUTCOMES),
            *examples(list(_cases(scores)), (PRO, ANTI, "anti was linked to"), self.examples),
        ]
        return Findings(measurements=measured, exhibits=tuple(shown))

    def questions(self) -> TextSet:
        """The pairs of sentences."""
        types = TYPES if self.types == "both" else (f"type{self.types}",)
        return sentence_pairs(self.part, types)

    def _resampling(self, asked: TextSet, resamples: int) -> Resampling:
        """Occupations are resampled: a resolver may prefer any of them, independent of gender."""
        words = [
            # A pair whose occupation was not found shares it with no other.
            [pair.occupation(gender) or str(number) for gender in ("female", "male")]
            for number, pair in enumerate(asked.items)
        ]
        key = f"winobias {asked.content_hash}"
        return crossed(words, resamples=resamples, seed=self.seed, key=key, how=HOW)


def _parts(asked: TextSet) -> dict[str, Mask]:
    kinds = [pair.type for pair in asked.items]
    found = {kind: np.array([one == kind for one in kinds]) for kind in dict.fromkeys(kinds)}
    return {"both": np.ones(len(kinds), dtype=bool), **found} if len(found) > 1 else found


def _details(
    scores: PronounPairScores, parts: dict[str, Mask]
) -> dict[tuple[str, str], dict[str, float | int | str | None]]:
    found: dict[tuple[str, str], dict[str, float | int | str | None]] = {}
    for version, given in scores.outcomes.items():
        for part, mask in parts.items():
            some = [one for one, is_in in zip(given, mask, strict=True) if is_in]
            found[version, part] = {
                f"linked-to-{label.replace(' ', '-')}": some.count(label) for label in OUTCOMES
            }
    return found


def _by_type(scores: PronounPairScores, parts: dict[str, Mask]) -> dict[str, list[str]]:
    return {
        f"{version}{_TITLES[part]}": [
            one for one, is_in in zip(given, parts[part], strict=True) if is_in
        ]
        for part in parts
        if part != "both"
        for version, given in scores.outcomes.items()
    }


def _cases(scores: PronounPairScores) -> Iterator[tuple[str, ...]]:
    for row, pair in enumerate(scores.pairs):
        if scores.right[PRO][row] and not scores.right[ANTI][row]:
            texts = (" ".join(one.words) for one in pair.versions)
            yield (*texts, scores.outcomes[ANTI][row])
