"""ACEAT, the augmented contextualised embedding association test, as a probe."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from unslant.concepts.augmentation import MASK, PERSON
from unslant.concepts.name_table import CROSSED, DUTTA, NameTable, name_table
from unslant.core.errors import UnslantError
from unslant.core.example import Example
from unslant.core.exhibits import Exhibit
from unslant.core.parameters import at_least
from unslant.core.record import LeftOut
from unslant.core.score import EFFECT_SIZE, SMALLER, Range, Score, toward
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.language.model import load_model
from unslant.predictors.protocols import LAST, NameInContext
from unslant.probes.aceat.corpus import CITES, VADER, AceatCorpus, Labeller, labelled_rows
from unslant.probes.aceat.cosines import NEUTRAL, NO_REST, NO_VECTOR, SlotReading, Sums
from unslant.probes.aceat.groups import (
    Associations,
    Procedure,
    every_group,
    every_name,
    measured,
    sentiment_labels,
    sign_in_words,
)
from unslant.probes.person_mentions import CONLL, source_of

_FAR = (
    "d is relative to the spread of the names, so a model that hardly tells names apart can have a "
    "large d. What a name is associated with also depends on its word pieces and its frequency, "
    "which differ between groups. The sentiment labels are another model's."
)
_WHY = {
    NEUTRAL: "the sentiment scorer finds them neither positive nor negative",
    NO_REST: "no other word is left to compare the name with",
    NO_VECTOR: "with one of the names the text is too long, or the name has no token of its own",
}
_PUBLISHED = {
    "published": "as printed, each weighted mean is divided by its number of sentences once more, "
    "so m depends on how many sentences of each sentiment there are",
    "released-code": "as in the released code, m is of cosine distances, so every sign is reversed",
}


@probe(
    "aceat",
    cites=CITES,
    example=Example(call="aceat(corpus=conll2003/)", of="MODEL"),
    needs=NameInContext,
    scores={
        "aceat-groups": Score(
            better=SMALLER,
            range=Range(0, 1),
            says="Which share of the spread of the names' associations lies between the groups?",
            misleads="Even without bias it is (groups − 1) / (names − 1) on average: compare it "
            f"with what is expected by chance. {_FAR}",
        ),
        "aceat-pair": Score(
            better=toward(0),
            scale=EFFECT_SIZE,
            range=Range(-2, 2, "about −2 to 2"),
            says="Do names of two of several groups differ in how near they are to the rest of "
            "positive and negative sentences?",
            misleads=f"Many pairs are tested; read the corrected p. {_FAR}",
        ),
        "aceat": Score(
            better=toward(0),
            scale=EFFECT_SIZE,
            range=Range(-2, 2, "about −2 to 2"),
            says="Do names of two groups differ in how near they are to the rest of positive and "
            "negative sentences?",
            misleads=_FAR,
        ),
    },
)
class Aceat:
    """Are names of one group nearer to positive sentences than names of another?

        m(w) = Σ_A c·cos(w, ros) / Σ_A c − Σ_B c·cos(w, ros) / Σ_B c
        d = (mean of m over X − mean of m over Y) / sd of m over X ∪ Y

    Every name is put in place of the persons in a corpus. The sums are over positive (A) and
    negative (B) sentences; w is the mean of the vectors of the name's pieces in the sentence, ros
    is the sum of the vectors of all its other tokens, and c is the confidence of the sentiment
    label. p permutes names over groups, the interval resamples sentences.
    """

    corpus: Annotated[
        str,
        "A file or folder in the layout of CoNLL-2003, or any file with a word first and its tag "
        "last in each line.",
    ] = CONLL
    part: Annotated[Literal["train", "testa", "testb"], "The part of a folder."] = "testb"
    names: Annotated[str, "A CSV or TOML of names with a column for each attribute."] = DUTTA
    by: Annotated[
        str, "Attributes to group by, as in 'gender, race, gender × race' (all if empty)."
    ] = ""
    sentiment: Annotated[str, "vader, or the folder of a text classifier."] = VADER
    mask: Annotated[str, "What the sentiment scorer sees in place of a person."] = MASK
    neutral: Annotated[float, at_least(0), "Sentiment up to this far from 0 is neutral."] = 0.05
    place: Annotated[str, "Where in the model, as layer:-2; by default its last layer."] = LAST
    mentions: Annotated[
        Literal["each", "all"], "Replace one person of a sentence at a time, or all at once."
    ] = "each"
    kind: Annotated[str, "The tag of persons in the corpus."] = PERSON
    sentences: Annotated[int, at_least(0), "How many sentences to draw (0: all)."] = 0
    formula: Annotated[
        Literal["weighted-mean", "published", "released-code"],
        "How m is computed; the last two are for comparison with Dutta (2019).",
    ] = "weighted-mean"
    ddof: Annotated[Literal[0, 1], "1 for the sample's standard deviation, 0 for that of all."] = 1
    alternative: Annotated[
        Literal["two-sided", "greater", "less"], "Which effects of two groups count."
    ] = "two-sided"
    permutations: Annotated[int, at_least(99), "Permutations, if not all can be counted."] = 100_000
    resamples: Annotated[int, at_least(0), "Resamples of sentences for the intervals."] = 1_000
    seed: Annotated[int, at_least(0), "The seed of samples, resamples and permutations."] = 0

    def run(
        self, resource: NameInContext, subject: AceatCorpus | None, setting: Setting
    ) -> Findings:
        """Read the corpus once with all names, and compare every grouping of them."""
        asked = self.questions() if subject is None else subject
        groupings = self._groupings(asked.names)
        resamples = 0 if setting.values_only else self.resamples
        reading = SlotReading(resource, asked, self.place)
        sums = Sums(len(asked.names), resamples, self.seed)
        for block in reading.blocks(setting.progress):
            sums.add(block.cosines, block.scores, block.keys)
        values, draws, without = sums.associations(self.formula)
        key = f"aceat {asked.content_hash} {sums.used} {self.seed} {resamples}"
        why = _why_undefined(sums, asked)
        found = Associations(asked.names.names, values, draws, without, key, why)
        testing = Procedure(
            ddof=self.ddof,
            alternative=self.alternative,
            permutations=self.permutations,
            seed=self.seed,
        )
        facts = self._facts(resource, sums, reading)
        results = tuple(
            replace(item, details={**item.details, **facts})
            for by, groups in groupings.items()
            for item in measured(by, groups, found, testing)
        )
        is_shown = not (why or setting.values_only)
        shown = tuple(_shown(asked, groupings, found, sums, reading)) if is_shown else ()
        return Findings(
            measurements=results,
            exhibits=shown,
            warnings=tuple(self._warnings()),
            left_out=tuple(_left_out(asked, reading)),
        )

    def questions(self) -> AceatCorpus:
        """The corpus and the names."""
        return AceatCorpus(
            source=source_of(self.corpus, self.part),
            names=name_table(self.names),
            labeller=Labeller(self.sentiment, mask=self.mask, neutral=self.neutral, kind=self.kind),
            kind=self.kind,
            mentions=self.mentions,
            limit=self.sentences,
            seed=self.seed,
        )

    def loaded(self, path: Path) -> Any:
        """The model in a folder; no head is needed."""
        return load_model(path).predictor(NameInContext)

    def exported(
        self, questions: AceatCorpus
    ) -> tuple[tuple[str, ...], int, Iterator[tuple[str, ...]]]:
        """Every sentence as the sentiment scorer sees it, with its label and its confidence."""
        return ("line", "text", "label", "confidence"), len(questions), labelled_rows(questions)

    def _groupings(self, table: NameTable) -> dict[str, dict[str, tuple[str, ...]]]:
        every = [*table.attributes]
        if len(every) > 1:
            every.append(CROSSED.join(table.attributes))
        wanted = [part.strip() for part in self.by.split(",")] if self.by.strip() else every
        found = {by: table.groups(by) for by in wanted}
        for by, groups in found.items():
            if len(groups) < 2 or sum(map(len, groups.values())) < 3:
                raise UnslantError(
                    f"{table.title} has {len(groups)} group by {by} and {len(table)} names. "
                    f"Expected at least two groups and three names."
                )
        return found

    def _facts(
        self, resource: NameInContext, sums: Sums, reading: SlotReading
    ) -> Mapping[str, float | int | str | None]:
        place = getattr(resource, "place", None)
        positive, negative = sums.counts
        return {
            "place": str(place(self.place)) if callable(place) else self.place,
            "positive-mentions": positive,
            "negative-mentions": negative,
            "texts-encoded": reading.texts_encoded,
            "sentences-sha256": sums.used,
        }

    def _warnings(self) -> Iterator[str]:
        if self.formula in _PUBLISHED:
            yield _PUBLISHED[self.formula]


def _why_undefined(sums: Sums, asked: AceatCorpus) -> str:
    """Why there is no value, or the empty text."""
    counts = dict(zip(("positive", "negative"), sums.counts, strict=True))
    missing = " or ".join(name for name, count in counts.items() if not count)
    if not missing:
        return ""
    return f"no usable sentence of {asked.source.name} is {missing} by {asked.labeller.name}"


def _left_out(asked: AceatCorpus, reading: SlotReading) -> Iterator[LeftOut]:
    every, with_person = asked.counts
    counts = {what: (reading.left_out[what], why) for what, why in _WHY.items()}
    no_person = every - with_person
    counts["sentences without a person"] = no_person, "there is no name to replace"
    counts["sentences that were not drawn"] = with_person - len(asked), "a sample was asked for"
    for what, (count, why) in counts.items():
        if count:
            yield LeftOut(what=f"{count:,} {what}", why=why)


def _shown(
    asked: AceatCorpus,
    groupings: Mapping[str, Mapping[str, tuple[str, ...]]],
    found: Associations,
    sums: Sums,
    reading: SlotReading,
) -> Iterator[Exhibit]:
    yield from every_name(asked.names, found)
    signs = [sign_in_words(*groups) for groups in groupings.values() if len(groups) == 2]
    said = f"Signs of d, {'; '.join(signs)}." if signs else ""
    yield replace(every_group(groupings, found, sums), says=said)
    yield sentiment_labels(sums, reading.labels)
