"""The sentiment probe: the sentences of the Equity Evaluation Corpus, scored and compared."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from unslant.concepts import WordPolicy
from unslant.core.errors import MissingWordsError, UnslantError
from unslant.core.exhibits import Case, Column, Examples, Exhibit, Point, Points, Table
from unslant.core.files import Progress
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.score import DIFFERENCE, SMALLER, Range, Score, toward
from unslant.core.types import Array
from unslant.core.wording import signed
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.sentiment_scorers import LexiconReader, Vader
from unslant.predictors.protocols import Sentiment
from unslant.probes.eec.corpus import GENDERS, EecCorpus, corpus
from unslant.probes.eec.differences import Contrast, contrasts, measured, uses
from unslant.vectors import WordVectors

# Tables and figures for the differences: by emotion, the most different pairs, the people.


def by_emotion(contrast: Contrast, found: Sequence[Measurement]) -> Points:
    """The difference for each emotion, with its interval."""
    start = f"eec-{contrast.name}-emotion-"
    first, second = contrast.groups
    return Points(
        id="differences",
        title="Difference in sentiment by emotion",
        part=contrast.name,
        x="difference in score",
        ends=(f"higher for {first}", f"higher for {second}"),
        points=tuple(
            Point(
                label=item.metric.removeprefix(start),
                x=item.value,
                low=item.interval.low if item.interval else None,
                high=item.interval.high if item.interval else None,
            )
            for item in found
            if item.metric.startswith(start) and item.value is not None
        ),
        caption="Mean difference between sentences that differ in the person only; 0 is fair.",
    )


def examples(asked: EecCorpus, scores: Array, count: int) -> Iterator[Examples]:
    """The sentences whose score changes most with the gender of the person, if any does."""
    pairs = {(one.gender, one.pair): place for place, one in enumerate(asked.people)}
    cases: list[tuple[float, Case]] = []
    for pair in sorted({pair for _, pair in pairs if pair >= 0}):
        places = [pairs[gender, pair] for gender in GENDERS]
        gaps = scores[:, places[0]] - scores[:, places[1]]
        item = int(np.abs(gaps).argmax())
        texts = tuple(asked.items[item].text(asked.people[place]) for place in places)
        numbers = (*(float(scores[item, place]) for place in places), float(gaps[item]))
        if numbers[2]:
            cases.append((abs(numbers[2]), Case(texts=texts, numbers=numbers)))
    cases.sort(key=lambda case: -case[0])
    if cases:
        yield Examples(
            id="examples-gender",
            title="Sentences whose score changes most with gender",
            texts=GENDERS,
            numbers=(*(f"score, {gender}" for gender in GENDERS), "gap"),
            cases=tuple(case for _, case in cases[:count]),
            caption="One sentence for each pair of phrases; scores go from −1 to 1.",
        )


def people(asked: EecCorpus, scores: Array) -> Table:
    """The mean score of every person's sentences, the most unusual first."""
    means = scores.mean(axis=0)
    apart = means - means.mean()
    order = np.argsort(-np.abs(apart), kind="stable").tolist()
    first = asked.people[order[0]].text
    far = signed(apart[order[0]])
    return Table(
        id="people",
        title="Mean score of the sentences about each person",
        columns=(
            Column(label="person"),
            Column(label="gender"),
            Column(label="names"),
            Column(label="mean score", digits=3),
            Column(label="minus the mean", digits=3),
        ),
        rows=tuple(
            (one.text, one.gender, one.race, float(means[n]), float(apart[n]))
            for n in order
            for one in [asked.people[n]]
        ),
        caption="All people have the same sentences, so only the person can make a difference.",
        says=f"Sentences about “{first}” differ most from the mean of all people ({far})."
        if apart.any()
        else "",
        is_detail=True,
    )


BATCH = 512
_PEOPLE = (
    "Twenty names and ten phrases stand for each gender, ten names of women and of men for each "
    "race; a single one may make all of the difference: see the mean score for each person."
)
_SIGNED = (
    ("-emotion", " By emotion.", "Five emotions are tested; read the corrected p."),
    (
        "-template",
        " By template.",
        "The interval is for this template: only people and emotion words are drawn again.",
    ),
    ("", "", "Differences in opposite directions cancel out; the mean of their size shows them."),
)
_TITLES = {
    "gender": "Sentiment about women minus men",
    "race": "Sentiment for African American minus European American names",
}
_SAYS = {
    "gender": "How much higher is a sentence about a woman scored than the same about a man?",
    "race": "How much higher is a sentence with an African American name scored than one with a "
    "European American name?",
}


def _scores() -> Mapping[str, Score]:
    found: dict[str, Score] = {}
    for name, says in _SAYS.items():
        found[f"eec-{name}-absolute"] = Score(
            better=SMALLER,
            range=Range(0, 2),
            says=f"{says} The mean size of the difference, in either direction.",
            misleads="Differences in both directions add up, and names that merely score unevenly "
            f"count too. {_PEOPLE}",
        )
        for part, more, misleads in _SIGNED:
            found[f"eec-{name}{part}"] = Score(
                better=toward(0),
                scale=DIFFERENCE,
                range=Range(-2, 2),
                says=f"{says}{more}",
                misleads=f"{misleads} {_PEOPLE}",
            )
    return found


@probe("eec", cites="kiritchenko-mohammad-2018", needs=Sentiment, scores=_scores())
class Eec:
    """Does a sentiment score depend on who a sentence is about?

        Δ = mean over pairs of sentences of score(first group) − score(second group)
        absolute: mean of |score(first group) − score(second group)|

    The sentences of a pair differ in the person only: women less men, African American less
    European American names. Intervals resample people, templates and emotion words; p exchanges
    the phrases of a pair, and names that differ in the group only.
    """

    examples: Annotated[int, at_least(1), "How many of the most different pairs to show."] = 5
    seed: Annotated[int, at_least(0), "The seed of resamples and exchanges."] = 0
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000

    def run(self, resource: Sentiment, subject: EecCorpus | None, setting: Setting) -> Findings:
        """Score every sentence, and compare the groups over all items, by emotion and template."""
        asked = self.questions() if subject is None else subject
        scores = _scored(asked, resource, setting.progress)
        if not np.ptp(scores):
            return Findings(measurements=tuple(_unanswered(asked)))
        resamples = 0 if setting.values_only else self.resamples
        key = asked.content_hash
        found: list[Measurement] = []
        shown: list[Exhibit] = []
        for contrast in contrasts(asked, scores):
            words = uses(asked, contrast.name, contrast.groups)
            mine = [
                measured(
                    contrast,
                    places,
                    name=f"eec-{contrast.name}{name}",
                    title=f"{_TITLES[contrast.name]}{title}",
                    key=key,
                    seed=self.seed,
                    resamples=resamples,
                    words=words,
                    is_absolute=name == "-absolute",
                )
                for name, title, places in _parts(asked)
            ]
            found += mine
            shown += [by_emotion(contrast, mine)]
        if not setting.values_only:
            shown += [*examples(asked, scores, self.examples), people(asked, scores)]
        return Findings(measurements=tuple(found), exhibits=tuple(shown))

    def questions(self) -> EecCorpus:
        """The 8,640 sentences."""
        return corpus()

    def known(self, questions: EecCorpus, vectors: WordVectors, policy: WordPolicy) -> EecCorpus:
        """The sentences about people, and with emotion words, that the vectors have."""
        if policy.missing == "balance":
            raise UnslantError(
                "A probe has no sets to balance: words missing from the vectors are left out "
                '("drop") or refused ("fail").'
            )
        reads = LexiconReader().words(vectors)
        part = questions.known(reads.has_word, vectors.name)
        if part.missing and policy.missing == "fail":
            raise MissingWordsError(dict(part.missing), vectors.name)
        return part

    def default(self) -> Vader:
        """The scorer when neither a model nor vectors are given."""
        return Vader()

    def reader(self) -> LexiconReader:
        """A classifier of positive and negative words, trained on the vectors."""
        return LexiconReader()

    def exported(
        self, questions: EecCorpus
    ) -> tuple[tuple[str, ...], int, Iterator[tuple[str, ...]]]:
        """One row for each sentence."""
        columns = ("text", "template", "person", "gender", "race", "emotion", "emotion_word")
        rows = (
            (
                item.text(one),
                item.template,
                one.text,
                one.gender,
                one.race,
                item.emotion,
                item.word,
            )
            for item in questions.items
            for one in questions.people
        )
        return columns, len(questions), rows


def _parts(asked: EecCorpus) -> Iterator[tuple[str, str, list[int]]]:
    """The end of the name, the end of the title and the items of every measurement."""
    every = list(range(len(asked.items)))
    yield "", "", every
    yield "-absolute", ", mean size of the difference", every
    for kind in ("emotion", "template"):
        for value in dict.fromkeys(getattr(item, kind) for item in corpus().items):
            places = [n for n in every if getattr(asked.items[n], kind) == value]
            yield f"-{kind}-{value}", f", {kind}: {value.replace('-', ' ')}", places


def _unanswered(asked: EecCorpus) -> Iterator[Measurement]:
    """Every measurement without a value: a difference of 0 would read as no bias."""
    why = "every sentence has the same score, so the scorer gave no answer"
    for contrast, title in _TITLES.items():
        for part, more, _ in _parts(asked):
            yield Measurement(
                metric=f"eec-{contrast}{part}",
                title=f"{title}{more}",
                value=None,
                why_undefined=why,
            )


def _scored(asked: EecCorpus, scorer: Sentiment, progress: Progress | None) -> NDArray[np.float64]:
    """The score of every sentence: items × people; anything but a finite number is refused."""
    texts, found = asked.texts, np.empty(len(asked))
    for begin in range(0, len(texts), BATCH):
        some = texts[begin : begin + BATCH]
        given = np.asarray(scorer.score(some), dtype=np.float64)
        if given.shape != (len(some),):
            raise UnslantError(
                f"{type(scorer).__name__}.score gave an array of shape {given.shape} for "
                f"{len(some)} texts; expected one number for each."
            )
        is_wrong = ~(np.abs(given) <= 1 + 1e-6)
        if is_wrong.any():
            place = int(is_wrong.argmax())
            raise UnslantError(
                f'{type(scorer).__name__}.score gave {given[place]:g} for "{some[place]}"; '
                f"expected a number from −1 to 1. Rescale the scores."
            )
        found[begin : begin + len(some)] = given
        if progress:
            progress("Scoring sentences", begin + len(some), len(texts))
    return found.reshape(len(asked.items), len(asked.people))
