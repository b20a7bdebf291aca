"""The GAP probe."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from unslant.core.better import LARGER, toward
from unslant.core.example import Example
from unslant.core.exhibits import Case, Column, Examples, Exhibit, Table, Value
from unslant.core.parameters import at_least
from unslant.core.record import LeftOut
from unslant.core.scale import DIFFERENCE
from unslant.core.score import Range, Score
from unslant.datasets.coreference.gap import GapExample, read_gap
from unslant.datasets.registry import find
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.predictors.answers import GapAnswers
from unslant.predictors.coreference import Coreference
from unslant.probes.coreference.asking import clusters_of
from unslant.probes.coreference.comparison import without_values
from unslant.probes.coreference.probe import CoreferenceProbe, TextSet, spans_text
from unslant.probes.gap.scoring import PARTS, GapScores, said_of

_NAMES = (
    "A mention stands for a name if it ends with its last word; a longer one, such as a name with "
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
