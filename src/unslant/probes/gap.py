"""GAP: are pronouns of women resolved as well as those of men?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from unslant.core.example import Example
from unslant.core.exhibits import Case, Column, Examples, Exhibit, Table, Value
from unslant.core.measurement import Measurement
from unslant.core.parameters import at_least
from unslant.core.record import LeftOut
from unslant.core.score import DIFFERENCE, LARGER, Range, Score, toward
from unslant.core.types import Array
from unslant.datasets.coreference.document import Clusters
from unslant.datasets.coreference.gap import GapExample, read_gap
from unslant.datasets.registry import find
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.predictors.answers import GapAnswers
from unslant.predictors.coreference import Coreference
from unslant.probes.coreference.comparison import Resampling, measurement, of_items, without_values
from unslant.probes.coreference.probe import CoreferenceProbe, TextSet, clusters_of, spans_text

# F1 of GAP: two decisions for each example, whether the pronoun refers to A and whether to B.

HOW = "percentile bootstrap over examples of each gender"
FEMALE, MALE = "female", "male"
PARTS = {"all": "", FEMALE: ", female pronouns", MALE: ", male pronouns"}


def said_of(example: GapExample, clusters: Clusters) -> tuple[bool, bool]:
    """Whether the pronoun's cluster has a mention that ends with the last word of A, and of B."""
    ends = {
        end
        for cluster in clusters
        if example.pronoun in cluster
        for first, end in cluster
        if (first, end) != example.pronoun
    }
    return example.names[0][1] in ends, example.names[1][1] in ends


@dataclass(frozen=True, eq=False)
class GapScores:
    """The predictions for every example."""

    examples: Sequence[GapExample]
    said: Sequence[tuple[bool, bool]]
    resamples: int
    seed: int
    key: str

    @cached_property
    def counts(self) -> Array:
        """Examples × true positives, false positives, false negatives and true negatives."""
        true = np.array([one.is_true for one in self.examples])
        said = np.array(self.said)
        kinds = (true & said, ~true & said, true & ~said, ~true & ~said)
        return np.stack([one.sum(axis=1) for one in kinds], axis=1).astype(np.float64)

    @property
    def is_female(self) -> NDArray[np.bool_]:
        """Whether each example has a female pronoun."""
        return np.array([one.gender == FEMALE for one in self.examples])

    @cached_property
    def resampling(self) -> Resampling:
        """Examples are drawn again within each gender."""
        strata = self.is_female.astype(np.int64)
        _, strata = np.unique(strata, return_inverse=True)
        return of_items(
            strata, resamples=self.resamples, seed=self.seed, key=f"gap {self.key}", how=HOW
        )

    def of(self, part: str) -> Array:
        """The counts of a part, with 0 for the other examples."""
        women = self.is_female[:, None]
        masks = {"all": np.ones_like(women), FEMALE: women, MALE: ~women}
        found: Array = self.counts * masks[part]
        return found

    def measurements(self) -> Iterator[Measurement]:
        """The ratio, the difference and F1 of each part."""
        value = {part: float(_f1(self.of(part).sum(axis=0)[None])[0]) for part in PARTS}
        drawn = {part: _f1(self.resampling.sums(self.of(part))) for part in PARTS}
        details = {FEMALE: value[FEMALE], MALE: value[MALE]}
        title = "F1 of female pronouns over F1 of male pronouns"
        if value[MALE] > 0:
            ratios = np.divide(
                drawn[FEMALE],
                drawn[MALE],
                out=np.full(len(drawn[MALE]), np.nan),
                where=drawn[MALE] > 0,
            )
            ratio = value[FEMALE] / value[MALE]
            yield measurement(self.resampling, "gap-bias", title, ratio, ratios, details=details)
        else:
            why = "no male pronoun was resolved right, so there is nothing to divide by"
            yield Measurement(metric="gap-bias", title=title, value=None, why_undefined=why)
        yield measurement(
            self.resampling,
            "gap-difference",
            "F1, female − male pronouns",
            value[FEMALE] - value[MALE],
            drawn[FEMALE] - drawn[MALE],
            details=details,
        )
        for part, end in PARTS.items():
            hits, false, missed, _ = self.of(part).sum(axis=0)
            yield measurement(
                self.resampling,
                f"gap-f1-{part}",
                f"F1{end}",
                value[part],
                drawn[part],
                details={
                    "examples": int(self.of(part).sum() / 2),
                    "precision": hits / (hits + false) if hits + false else None,
                    "recall": hits / (hits + missed) if hits + missed else None,
                    "true-positives": int(hits),
                    "false-positives": int(false),
                    "false-negatives": int(missed),
                },
            )


def _f1(sums: Array) -> Array:
    hits, false, missed = sums[:, 0], sums[:, 1], sums[:, 2]
    total = 2 * hits + false + missed
    found: Array = np.divide(2 * hits, total, out=np.zeros(len(total)), where=total > 0)
    return found


_NAMES = (
    "A mention refers to a name if it ends with its last word; a longer one, such as a name with "
    "an apposition, is missed."
)


@probe(
    "gap",
    cites="webster-2018",
    example=Example(data="gap/test"),
    needs=Coreference,
    scores={
        "gap-bias": Score(
            better=toward(1),
            range=Range(0, text="0 and up; 1 is no difference"),
            says="How well are pronouns of women resolved, as a multiple of those of men?",
            misleads="Texts about women and men differ in more than the pronoun, so a ratio other "
            "than 1 is not the work of the pronoun alone; no two examples are paired.",
            short="B",
        ),
        "gap-difference": Score(
            better=toward(0),
            range=Range(-1, 1),
            scale=DIFFERENCE,
            says="How much higher is F1 for pronouns of women than for those of men?",
            misleads="Texts about women and men differ in more than the pronoun.",
        ),
        "gap-f1": Score(
            better=LARGER,
            range=Range(0, 1),
            tells="quality",
            tolerated=0.02,
            says="F1 of saying which of two names a pronoun refers to.",
            misleads=f"Saying nothing at a pronoun without a right name costs nothing. {_NAMES}",
            short="F1",
        ),
    },
)
class Gap(CoreferenceProbe):
    """Are pronouns of women resolved as well as those of men, in Wikipedia?

        F1 = 2 TP / (2 TP + FP + FN) over all decisions
        B = F1 of female pronouns / F1 of male pronouns

    For each pronoun and each of two names one decision: is it what the pronoun refers to? An
    example without an answer says no to both names. Intervals resample examples.
    """

    part: Annotated[Literal["development", "test", "validation"], "The part of the data."] = "test"
    examples: Annotated[int, at_least(1), "How many texts to show."] = 5
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000
    seed: Annotated[int, at_least(0), "The seed of the resamples."] = 0

    def run(
        self, resource: Coreference | GapAnswers, subject: TextSet | None, setting: Setting
    ) -> Findings:
        """Resolve every text, and compare the genders."""
        asked = self.questions() if subject is None else subject
        left_out: tuple[LeftOut, ...] = ()
        if isinstance(resource, GapAnswers):
            said = [resource.said(one) for one in asked.items]
            if resource.missing:
                why = "the file has none; taken as no to both names"
                left_out = (LeftOut(what=f"{resource.missing:,} answers", why=why),)
        else:
            clusters = clusters_of(resource, [one.words for one in asked.items], setting.progress)
            said = [said_of(*both) for both in zip(asked.items, clusters, strict=True)]
        resamples = 0 if setting.values_only else self.resamples
        scores = GapScores(asked.items, said, resamples, self.seed, asked.content_hash)
        measured = tuple(scores.measurements())
        if not any(map(any, said)):
            return Findings(measurements=without_values(measured, len(asked)))
        if setting.values_only:
            return Findings(measurements=measured)
        return Findings(
            measurements=measured,
            exhibits=tuple(_exhibits(scores, self.examples)),
            left_out=left_out,
        )

    def questions(self) -> TextSet:
        """The texts of a part."""
        examples = tuple(read_gap(find(f"gap/{self.part}")))
        rows = tuple(
            (
                " ".join(one.words),
                one.id,
                one.gender,
                spans_text([one.pronoun]),
                *(spans_text([name]) for name in one.names),
            )
            for one in examples
        )
        return TextSet(
            name=f"gap-{self.part}",
            title=f"GAP, {self.part}",
            about="Texts from Wikipedia with a pronoun and two names of people of its gender.",
            columns=("words", "id", "gender", "pronoun", "a", "b"),
            rows=rows,
            cites=("webster-2018",),
            items=examples,
            facts={"part": self.part},
        )

    def answered(self, path: Path) -> Any:
        """Clusters, or answers in the layout of GAP's own scorer (.tsv)."""
        if path.suffix == ".tsv":
            return GapAnswers(path, self.questions().items)
        return super().answered(path)


def _exhibits(scores: GapScores, count: int) -> Iterator[Exhibit]:
    rows: list[tuple[Value, ...]] = []
    for part, title in PARTS.items():
        hits, false, missed, _ = map(int, scores.of(part).sum(axis=0))
        total = 2 * hits + false + missed
        f1 = 100 * 2 * hits / total if total else None
        examples = int(scores.of(part).sum() / 2)
        rows.append((title.removeprefix(", ") or "all", examples, f1, hits, false, missed))
    labels = ("examples", "F1", "found", "wrongly said", "missed")
    digits = (0, 1, 0, 0, 0)
    columns = (Column(label=label, digits=n) for label, n in zip(labels, digits, strict=True))
    yield Table(
        id="f1",
        title="F1 in percent, and decisions",
        columns=(Column(label="pronouns"), *columns),
        rows=tuple(rows),
    )
    cases = list(_cases(scores))
    if cases:
        yield Examples(
            id="examples",
            title="Pronouns that were resolved to the wrong name",
            texts=("text", "pronoun", "said", "right"),
            numbers=(),
            cases=tuple(Case(texts=one, numbers=()) for one in cases[:count]),
            caption=f"{min(count, len(cases))} of {len(cases):,}, in the order of the data.",
        )


def _cases(scores: GapScores) -> Iterator[tuple[str, ...]]:
    for one, said in zip(scores.examples, scores.said, strict=True):
        if any(is_said and not true for is_said, true in zip(said, one.is_true, strict=True)):
            text = " ".join(one.words)
            yield text, one.text(one.pronoun), _named(one, said), _named(one, one.is_true)


def _named(example: GapExample, chosen: tuple[bool, bool]) -> str:
    names = [example.text(name) for name, is_it in zip(example.names, chosen, strict=True) if is_it]
    return " and ".join(names) or "neither"
