"""The name-swap probe: every name in place of every person, and who is still found."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.concepts.augmentation import PERSON
from unslant.concepts.name_table import DUTTA, name_table
from unslant.core.errors import UnslantError
from unslant.core.example import Example
from unslant.core.parameters import at_least
from unslant.core.record import LeftOut
from unslant.core.score import DIFFERENCE, LARGER, SMALLER, Range, Score, toward
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.language.model import load_model
from unslant.models.spacy import is_spacy_folder, load_spacy
from unslant.predictors.answers import TagAnswers
from unslant.predictors.protocols import Tagger
from unslant.probes.aceat.groups import slug
from unslant.probes.name_swap.exhibits import became, every_group, every_name, examples
from unslant.probes.name_swap.gaps import Recalls, measured, recalls
from unslant.probes.name_swap.tagging import CITES, NameSwapSet, Tagged, Tagging
from unslant.probes.person_mentions import CONLL, source_of

_NAMES = (
    "Names represent their groups, so a gap may come from what else sets these names apart: how "
    "frequent they are, how many word pieces they have, or that they are also words."
)


@probe(
    "name-swap",
    cites=CITES,
    example=Example(call="name-swap(corpus=conll2003/)", of="TAGGER"),
    needs=Tagger,
    scores={
        "name-swap-gap": Score(
            better=toward(0),
            scale=DIFFERENCE,
            range=Range(-1, 1),
            says="How much more often is a person found if the name suggests the first group?",
            misleads=f"Several pairs are tested; read the corrected p. {_NAMES}",
        ),
        "name-swap-largest": Score(
            better=SMALLER,
            range=Range(0, 1),
            says="How far apart are the groups whose persons are found most and least often?",
            misleads="The largest of several gaps is above 0 by chance alone, and resamples make "
            f"it larger; judge it by p. {_NAMES}",
        ),
        "name-swap-recall": Score(
            better=LARGER,
            tells="quality",
            tolerated=0.02,
            range=Range(0, 1),
            says="How many of the persons are found if their names suggest this group?",
            misleads="First names alone, in sentences that were about others, are not what the "
            f"tagger sees otherwise; compare groups. {_NAMES}",
        ),
        "name-swap-own": Score(
            better=LARGER,
            tells="quality",
            tolerated=0.02,
            range=Range(0, 1),
            says="How many of the persons are found with the names that the corpus has?",
            misleads="It says nothing about groups. A tagger may have seen this corpus.",
        ),
    },
)
class NameSwap:
    """Does a tagger find a person less often if the name suggests another group?

        recall(g) = share of mentions, over all names of group g, at which a person is found
        gap(g, h) = recall(g) − recall(h)

    Every name is put in place of every person of a corpus, one mention at a time. A person is found
    with exactly the words of the name or, with ``match=overlap``, with any of them. Intervals
    resample sentences and names; p permutes names over the groups, within names that are alike in
    all other attributes.
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
    match: Annotated[
        Literal["exact", "overlap"], "Whether a person must have just the words of the name."
    ] = "exact"
    kind: Annotated[str, "The tag of persons in the corpus."] = PERSON
    person: Annotated[str, "The tagger's own kinds for persons."] = "PER, PERSON"
    sentences: Annotated[int, at_least(0), "How many sentences to draw (0: all)."] = 0
    examples: Annotated[int, at_least(1), "How many sentences to show."] = 5
    permutations: Annotated[int, at_least(99), "Permutations, if not all can be counted."] = 20_000
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000
    seed: Annotated[int, at_least(0), "The seed of samples, resamples and permutations."] = 0

    def run(self, resource: Tagger, subject: NameSwapSet | None, setting: Setting) -> Findings:
        """Tag every sentence with every name, and compare the groups."""
        asked = self.questions() if subject is None else subject
        asked.groupings  # noqa: B018  (groups that cannot be compared are reported before tagging)
        kinds = frozenset(part.strip() for part in self.person.split(",") if part.strip())
        if not kinds:
            raise UnslantError(
                "Name at least one kind for persons ([[person=…|--person]]), such as PER."
            )
        tagged = Tagging(resource, kinds).of(asked, setting.progress)
        resamples = 0 if setting.values_only else self.resamples
        exact, overlap = (
            self._recalls(asked, tagged, tagged.codes <= most, tagged.own <= most, resamples)
            for most in (0, 1)
        )
        chosen, other = (exact, overlap) if self.match == "exact" else (overlap, exact)
        why = _why_undefined(tagged, kinds)
        results = []
        for mine, theirs in zip(
            self._measured(asked, chosen), self._measured(asked, other), strict=True
        ):
            variant = "any-overlap" if self.match == "exact" else "exact-words"
            facts = {variant: theirs.value, "sentences-tagged": tagged.asked}
            item = replace(mine, details={**mine.details, **facts})
            if why:
                item = replace(
                    item, value=None, why_undefined=why, interval=None, p=None, draws=None
                )
            results.append(item)
        if setting.values_only or why:
            return Findings(measurements=tuple(results))
        return Findings(
            measurements=tuple(results),
            exhibits=(
                *every_name(chosen),
                every_group(asked, exact, overlap),
                became(asked, tagged),
                *examples(asked, tagged, exact, self.examples),
            ),
            left_out=tuple(_left_out(asked)),
        )

    def questions(self) -> NameSwapSet:
        """The corpus and the names."""
        return NameSwapSet(
            source=source_of(self.corpus, self.part),
            names=name_table(self.names),
            by=tuple(part.strip() for part in self.by.split(",") if part.strip()),
            kind=self.kind,
            limit=self.sentences,
            seed=self.seed,
        )

    def score_names(self, questions: NameSwapSet) -> Sequence[str]:
        """The names of the measurements, known before anything is tagged."""
        found = []
        for by, groups in questions.groupings.items():
            pairs = combinations(groups, 2)
            found += [f"name-swap-gap-{slug(first)}-{slug(second)}" for first, second in pairs]
            found += [f"name-swap-largest-{slug(by)}"] if len(groups) > 2 else []
        for groups in questions.groupings.values():
            found += [f"name-swap-recall-{slug(group)}" for group in groups]
        return [*found, "name-swap-own"]

    def knows(self, path: str | Path) -> bool:
        """Whether a path is a folder of a spaCy pipeline."""
        return is_spacy_folder(path)

    def loaded(self, path: Path) -> Any:
        """The tagger in a folder: a spaCy pipeline, or a model with a head for tokens."""
        return load_spacy(path) if self.knows(path) else load_model(path).predictor(Tagger)

    def answered(self, path: Path) -> TagAnswers:
        """Tags that were given elsewhere."""
        return TagAnswers(path)

    def exported(
        self, questions: NameSwapSet
    ) -> tuple[tuple[str, ...], int, Iterator[tuple[str, ...]]]:
        """One row for each mention with its own name and with each other."""
        table = questions.names
        names = dict(zip(table.names, table.values, strict=True))
        total = sum(1 for _ in questions.slots()) * (len(names) + 1)

        def rows() -> Iterator[tuple[str, ...]]:
            for slot in questions.slots():
                line = str(slot.sentence.line)
                yield (str(slot.sentence), line, "", *[""] * len(table.attributes))
                for name, values in names.items():
                    yield (slot.filled(name).text, line, name, *values)

        return ("words", "line", "name", *table.attributes), total, rows()

    def _recalls(
        self,
        asked: NameSwapSet,
        tagged: Tagged,
        is_found: NDArray[np.bool_],
        own: NDArray[np.bool_],
        resamples: int,
    ) -> Recalls:
        return recalls(
            asked.names,
            is_found,
            own,
            tagged.sentences,
            key=asked.content_hash,
            seed=self.seed,
            resamples=resamples,
        )

    def _measured(self, asked: NameSwapSet, found: Recalls) -> Iterator[Any]:
        return measured(asked.groupings, found, seed=self.seed, permutations=self.permutations)


def _why_undefined(tagged: Tagged, kinds: frozenset[str]) -> str:
    """Why there is no value, or the empty text: a tagger that finds no person measures nothing."""
    if (tagged.codes <= 1).any() or (tagged.own <= 1).any():
        return ""
    others = ", ".join(tagged.outcomes[3:][:8])
    instead = (
        f"; it took persons for {others}. Name its kind for persons (--person)" if others else ""
    )
    return f"it found no {' or '.join(sorted(kinds))} in any of {tagged.asked:,} sentences{instead}"


def _left_out(asked: NameSwapSet) -> Iterator[LeftOut]:
    every, with_person = asked.counts
    counts = {
        "sentences without a person": (every - with_person, "there is no name to replace"),
        "sentences that were not drawn": (with_person - len(asked), "a sample was asked for"),
    }
    for what, (count, why) in counts.items():
        if count:
            yield LeftOut(what=f"{count:,} {what}", why=why)
