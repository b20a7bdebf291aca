"""The StereoSet probe: the scores of its authors, and Strength and Distance with swapped twins."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.core.example import Example
from unslant.core.exhibits import Exhibit
from unslant.core.measurement import Measurement
from unslant.core.parameters import Limits, at_least
from unslant.core.score import LARGER, SMALLER, Range, Score, toward
from unslant.datasets.stereoset import (
    LABELS,
    StereosetItem,
    find_stereoset,
    read_predictions,
    read_stereoset,
)
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.language.model import load_model
from unslant.predictors.answers import AnswersById
from unslant.predictors.protocols import Plausibility
from unslant.probes.stereoset import enhanced, target_scores
from unslant.probes.stereoset.answers import (
    CONTROLLED,
    answers,
    answers_by_id,
    control_questions,
    controlled,
    probabilities,
    questions_of,
)
from unslant.probes.stereoset.enhanced import Sampling, distances, strengths
from unslant.probes.stereoset.questions import StereoSetQuestions, part_of, questions_from
from unslant.probes.stereoset.target_scores import cells, compared
from unslant.probes.stereoset.target_scores import measured as term_scores

_CROWD = (
    "The sentences were written by crowd workers and differ in more than the stereotype: length, "
    "frequency of words, spelling."
)
_SCORES: Mapping[str, Score] = {
    "stereoset-ss": Score(
        better=toward(50),
        range=Range(0, 100),
        short="SS",
        says="How often does the stereotype score higher than the anti-stereotype, in percent?",
        misleads=f"{_CROWD} A model that prefers frequent words is not at 50 without any "
        "stereotype, and one that answers at random is at 50: read it together with LMS.",
    ),
    "stereoset-lms": Score(
        better=LARGER,
        tells="quality",
        tolerated=2.0,
        range=Range(0, 100),
        short="LMS",
        says="How often does a meaningful sentence score higher than an unrelated one, in percent?",
        misleads=f"It says whether the model understands the task, nothing about bias. {_CROWD}",
    ),
    "stereoset-icat": Score(
        better=LARGER,
        range=Range(0, 100),
        short="ICAT",
        says="LMS × min(SS, 100 − SS) / 50: both in one number.",
        misleads="A less biased model and a better one get the same credit, so read SS and LMS.",
    ),
    "stereoset-strength": Score(
        better=SMALLER,
        range=Range(-2, 2),
        short="S",
        cites="dawkins-2023",
        says="How much more probable is a stereotype than an anti-stereotype, compared with the "
        "gender-swapped item, for the most biased items?",
        misleads="The mean of the largest values is above 0 even for a model without bias: compare "
        "it with the value by chance in the details. Probabilities near 0 and 1 hide differences, "
        "so a model that is sure of everything has a small Strength.",
    ),
    "stereoset-distance": Score(
        better=SMALLER,
        range=Range(0, 1),
        short="D",
        cites="dawkins-2023",
        says="How much does the gender in the context change the probability of an unrelated "
        "sentence, for the most affected items?",
        misleads="It is a difference in ability, not a stereotype, and no difference is negative: "
        "changing any other word of the context also yields a value above 0.",
    ),
}


@probe(
    "stereoset",
    cites="nadeem-2021",
    example=Example(of="MODEL"),
    needs=Plausibility,
    scores={**_SCORES, **CONTROLLED},
)
class StereoSet:
    """Does a language model prefer stereotypes, and does gender change what it expects next?

        SS = share of items in which p(stereotype) > p(anti-stereotype), in percent
        LMS = share in which p(a meaningful sentence) > p(the unrelated one), in percent
        ICAT = LMS · min(SS, 100 − SS) / 50
        s = p(stereo) − p(anti) − p'(anti) + p'(stereo), p' of the gender-swapped item
        d = |p(unrelated) − p'(unrelated)|;  Strength, Distance = means of the largest s, d

    SS, LMS and ICAT of Nadeem et al. (2021), by task and domain; for the inter-sentence gender
    items also Strength and Distance of Dawkins (2023), which compare each item with its
    gender-swapped twin. The fillers of intra-sentence items are also put into control sentences in
    which the group is irrelevant, and the excess is what the preference exceeds them by.
    """

    data: Annotated[
        str, "StereoSet's dev.json (by default stereoset/dev.json in the folder UNSLANT_DATA)."
    ] = ""
    tasks: Annotated[
        Literal["both", "intra", "inter"], "Fill gaps (intra), judge next sentences (inter)."
    ] = "both"
    domain: Annotated[
        Literal["all", "gender", "profession", "race", "religion"], "Only items of one domain."
    ] = "all"
    part: Annotated[
        Literal["all", "development", "held-out"],
        "Half of the items to choose a setting on, or the other half to report.",
    ] = "all"
    scoring: Annotated[
        Literal["words", "published"], "How a model scores fillers and sentences."
    ] = "words"
    ties: Annotated[Literal["half", "against"], "A tie is half a point, or none as published."] = (
        "half"
    )
    curated: Annotated[
        bool, "Leave out and correct items as screened, for Strength and Distance."
    ] = True
    top: Annotated[
        float,
        Limits(low=0.001, high=1),
        "The share of items with the largest values in Strength and Distance.",
    ] = 0.1
    matched: Annotated[
        int,
        at_least(0),
        "Matched control sentences for each intra-sentence item; with 0 there is no excess.",
    ] = 4
    examples: Annotated[int, at_least(1), "How many of the most biased items to show."] = 5
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000
    seed: Annotated[int, at_least(0), "The seed of resamples and random signs."] = 0

    def run(
        self,
        resource: Plausibility | AnswersById,
        subject: StereoSetQuestions | None,
        setting: Setting,
    ) -> Findings:
        """Score every sentence once; then compare, by task and domain, and with the twins."""
        asked = self.questions() if subject is None else subject
        resamples = 0 if setting.values_only else self.resamples
        key = f"stereoset {asked.content_hash} {self.seed} {resamples}"
        items = list(asked.items)
        if isinstance(resource, AnswersById):
            if not self.curated:  # an answers file may contain items that our models cannot score
                items += asked.broken
            scores = answers_by_id(resource, items)
        else:
            scores = answers(resource, items, self.scoring)
        chosen = cells(items, self.tasks, self.domain)
        points = compared(items, scores, self.ties)
        found: list[Measurement] = []
        for cell in chosen:
            found += term_scores(points, cell, key=key, seed=self.seed, resamples=resamples)
        twins, shown = self._with_twins(
            resource, asked, Sampling(key=key, seed=self.seed, resamples=resamples)
        )
        found += self._controlled(resource, asked, items, scores, setting)
        if not setting.values_only:
            shown = [
                *target_scores.preference(chosen, found),
                target_scores.table(chosen, found),
                *shown,
            ]
        return Findings(
            measurements=(*twins, *found),
            exhibits=() if setting.values_only else tuple(shown),
            left_out=asked.left_out(is_broken_asked=len(items) > len(asked.items)),
        )

    def _controlled(
        self,
        model: Plausibility | AnswersById,
        asked: StereoSetQuestions,
        items: Sequence[StereosetItem],
        scores: NDArray[np.float64],
        setting: Setting,
    ) -> list[Measurement]:
        """The intra-sentence items and their controls, if the model can score these."""
        gaps = [place for place, item in enumerate(items) if item.task == "intra"]
        if isinstance(model, AnswersById) or not self.matched or not gaps:
            return []
        return list(
            controlled(
                model,
                [items[place] for place in gaps],
                scores[gaps],
                self.scoring,
                controls=self.matched,
                seed=self.seed,
                content_hash=asked.content_hash,
                values_only=setting.values_only,
            )
        )

    def _with_twins(
        self, model: Plausibility | AnswersById, asked: StereoSetQuestions, sampling: Sampling
    ) -> tuple[list[Measurement], list[Exhibit]]:
        """Strength and Distance, if gender items with next sentences are requested."""
        if self.tasks == "intra" or self.domain not in ("all", "gender"):
            return [], []
        if isinstance(model, AnswersById):
            return _no_twins(f"{model.name} has no scores of gender-swapped sentences"), []
        if not asked.pairs:
            return _no_twins("no item has a gender-swapped twin"), []
        # Twins always use odds, independent of the scoring, because p is a probability.
        both = [each for pair in asked.pairs for each in (pair.item, pair.twin)]
        odds = answers(model, both, "words")
        if (odds == odds[0, 0]).all():
            return _no_twins("every sentence has the same score: no usable answer"), []
        p = probabilities(odds)
        given, swapped = p[0::2], p[1::2]
        terms = [pair.item.target for pair in asked.pairs]
        s, d = strengths(given, swapped), distances(given, swapped)
        spread = float(odds.std())
        found = [
            enhanced.measured(name, title, values, terms, self.top, sampling, spread=spread)
            for name, title, values in zip(_ENHANCED, _ENHANCED.values(), (s, d), strict=True)
        ]
        shown = [
            target_scores.strongest(asked.pairs, s, given, swapped, self.examples),
            target_scores.furthest(asked.pairs, d, given, swapped, self.examples),
        ]
        return found, list(shown)

    def questions(self) -> StereoSetQuestions:
        """The requested items of the file, with the twins of the gender items."""
        from unslant.concepts import concept
        from unslant.concepts.swap import swap_of

        def is_wanted(item: StereosetItem) -> bool:
            return (
                self.tasks in ("both", item.task)
                and self.domain in ("all", item.domain)
                and self.part in ("all", part_of(item))
            )

        return questions_from(
            read_stereoset(find_stereoset(self.data)),
            is_wanted=is_wanted,
            curated=self.curated,
            swap=swap_of(concept("gender")),
            concept=self.domain if self.domain in ("race", "religion") else "gender",
        )

    def loaded(self, path: Path) -> Any:
        """The model in a folder, with the heads that it has."""
        return load_model(path).predictor(Plausibility)

    def answered(self, path: Path) -> AnswersById | None:
        """Predictions in the format of StereoSet's authors; None for other files of answers."""
        if path.name.endswith((".json", ".json.gz")):
            return AnswersById(path, read_predictions(path))
        return None

    def exported(
        self, questions: StereoSetQuestions
    ) -> tuple[tuple[str, ...], int, Iterator[tuple[str, ...]]]:
        """One row for each question, the twins and the controls included."""
        columns = ("context", "candidate", "task", "domain", "target", "label", "item", "swapped")
        asked = [(item, "no") for item in questions.items]
        for pair in questions.pairs:
            asked += [(pair.item, "no"), (pair.twin, "yes")]
        rows = dict.fromkeys(
            (*question, item.task, item.domain, item.target, label, item.id, swapped)
            for item, swapped in asked
            for question, label in zip(questions_of(item), LABELS, strict=True)
        )
        gaps = [item for item in questions.items if item.task == "intra"]
        for item, controls in zip(
            gaps, control_questions(gaps, self.matched, self.seed), strict=True
        ):
            for both in controls:
                for question, label in zip(both, LABELS, strict=False):
                    facts = (item.task, item.domain, item.target, label, item.id, "control")
                    rows[(*question, *facts)] = None
        return columns, len(rows), iter(rows)


_ENHANCED = {
    "stereoset-strength": "Strength of gender stereotypes",
    "stereoset-distance": "Distance between the genders",
}


def _no_twins(why: str) -> list[Measurement]:
    return [
        Measurement(metric=name, title=title, value=None, why_undefined=why)
        for name, title in _ENHANCED.items()
    ]
