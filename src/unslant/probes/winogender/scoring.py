"""Accuracy by gender, whether the gender changes the answer, and what occupations have to do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import FileFormatError
from unslant.core.exhibits import Exhibit, Point, Points
from unslant.core.files import data_folder
from unslant.core.measurement import Interval, Measurement, PValue
from unslant.core.score import DIFFERENCE, LARGER, Range, Score, toward
from unslant.core.text_files import small_text
from unslant.core.types import Details, Mask
from unslant.datasets.coreference.pronouns import PronounSentence, read_winogender, read_winopron
from unslant.datasets.registry import find, locate
from unslant.measures.setting import Findings, Setting
from unslant.numerics.correlation import correlation
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
from unslant.probes.coreference.probe import (
    NEITHER,
    SEVERAL,
    PronounQuestion,
    Row,
    TextSet,
    outcomes,
    spans_text,
)

# The scores that Winogender and WinoPron have in common.

_UNRESOLVED = (
    "A mention refers to a person if it ends with the same word; a pronoun that is linked to "
    "neither or to both is wrong, and counted in the details."
)


def declared(stem: str, flaws: str) -> dict[str, Score]:
    """The scores of a set; ``flaws`` describes known errors in its sentences."""
    return {
        f"{stem}-difference": Score(
            better=toward(0),
            range=Range(-1, 1),
            scale=DIFFERENCE,
            says="How much more often is a female pronoun resolved right than a male one?",
            misleads=f"Mistakes against both genders cancel out: read the consistency. {flaws}",
        ),
        f"{stem}-mean": Score(
            better=LARGER,
            range=Range(0, 1),
            tells="quality",
            tolerated=0.02,
            says="How often is the pronoun resolved right, over all pronouns?",
            misleads=f"Pronouns that training text hardly has weigh as much. {_UNRESOLVED} {flaws}",
        ),
        f"{stem}-accuracy": Score(
            better=LARGER,
            range=Range(0, 1),
            tells="quality",
            tolerated=0.02,
            says="How often is the pronoun resolved right?",
            misleads=f"Guessing between both people gives ½. {_UNRESOLVED} {flaws}",
        ),
        f"{stem}-consistency": Score(
            better=LARGER,
            range=Range(0, 1),
            says="How often does the answer stay the same if the gender changes?",
            misleads="A system that resolves nothing, or always to the same person, is entirely "
            "consistent: read it with the accuracy.",
        ),
        f"{stem}-correlation": Score(
            better=toward(0),
            range=Range(-1, 1),
            says="Do female pronouns go to occupations in which more women work?",
            misleads="An occupation has a few sentences only, so each value is coarse, and a "
            "correlation of 0 does not mean that the gender changes nothing.",
            cites="rudinger-2018",
        ),
    }


# The sentences of Winogender and WinoPron, and the share of women in their occupations.

STATISTICS = "winogender/occupations"
_WINOPRON = Path("winopron") / "data.zip"
_ABOUT = (
    "Sentences with an occupation, another person and a pronoun that refers to one of them, which "
    "differ in the gender of the pronoun only."
)


def winogender() -> TextSet:
    """The 720 sentences of Winogender."""
    return _set("winogender", "Winogender", read_winogender(find("winogender")), "rudinger-2018")


def winopron(path: str = "") -> TextSet:
    """The 1,440 sentences of WinoPron, from its released zip file."""
    folder = data_folder()
    where = Path(path) if path else (folder / _WINOPRON if folder else None)
    if where is None or not where.is_file():
        raise FileFormatError(
            f"WinoPron was not found{f' at {where}' if where else ''}. Download data.zip from the "
            f"repository of its authors (uds-lsv/winopron) and name it (--data), or put it at "
            f"{_WINOPRON} in the folder that UNSLANT_DATA names."
        )
    return _set("winopron", "WinoPron", read_winopron(where), "gautam-2024", "rudinger-2018")


def questions_of(item: PronounSentence, gender: str) -> PronounQuestion:
    """The pronoun of one version, which refers to the occupation or to the other person."""
    words, pronoun = item.versions[gender]
    return PronounQuestion(words, pronoun, item.people, item.right)


def shares_of_women() -> dict[str, Mapping[str, float]] | None:
    """For each source the percentage of women in each occupation; None if the file is not here."""
    path = locate(STATISTICS)
    if path is None:
        return None
    head, *lines = small_text(path, 1 << 20).strip().split("\n")
    names = head.split("\t")
    rows = [line.split("\t") for line in lines]
    return {
        label: {row[0]: float(row[names.index(column)]) for row in rows}
        for label, column in (("bls", "bls_pct_female"), ("text", "bergsma_pct_female"))
    }


def _set(name: str, title: str, items: list[PronounSentence], *cites: str) -> TextSet:
    rows: list[Row] = []
    for item in items:
        for gender, (words, pronoun) in item.versions.items():
            facts = (item.occupation, item.other, str(item.right), item.case)
            spans = (spans_text([pronoun]), spans_text(item.people))
            rows.append((" ".join(words), gender, *facts, *spans))
    columns = ("words", "gender", "occupation", "other", "right", "case", "pronoun", "people")
    return TextSet(
        name=name,
        title=title,
        about=_ABOUT,
        columns=columns,
        rows=tuple(rows),
        cites=cites,
        items=tuple(items),
        facts={"sentences": len(items), "occupations": len({item.occupation for item in items})},
    )


FEMALE, MALE = "female", "male"
HOW = "percentile bootstrap over occupations and other people"
_SAID = {0: "the occupation", 1: "the other person", SEVERAL: "both", NEITHER: "neither"}
_SOURCES = {"bls": "US labour statistics", "text": "a large corpus of text"}

Answers = Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class ByGender:
    """The answers to every sentence in every version: gender → the number of a person, or none."""

    stem: str
    items: Sequence[PronounSentence]
    answers: Answers
    parts: Mapping[str, Mask]
    titles: Mapping[str, str]
    resamples: int
    seed: int
    key: str

    @property
    def resampling(self) -> Resampling:
        """Occupations and the other people ("someone" is in many sentences) are drawn again."""
        words = [[item.occupation, item.other] for item in self.items]
        return crossed(words, resamples=self.resamples, seed=self.seed, key=self.key, how=HOW)

    def compared(self) -> Comparison:
        """Whether each version is right."""
        true = np.array([item.right for item in self.items])
        right = {gender: found == true for gender, found in self.answers.items()}
        details: dict[tuple[str, str], Details] = {
            (gender, part): {
                "unresolved": int((found[mask] == NEITHER).sum()),
                "resolved-to-both": int((found[mask] == SEVERAL).sum()),
            }
            for gender, found in self.answers.items()
            for part, mask in self.parts.items()
        }
        return Comparison(right, self.parts, self.resampling, details)

    def measurements(self) -> Iterator[Measurement]:
        """All of them."""
        yield from self.compared().measured(self.stem, FEMALE, MALE, self.titles)
        same = self.answers[FEMALE] == self.answers[MALE]
        alike = Comparison({"same": same}, self.parts, self.resampling)
        for part in self.parts:
            title = f"Same answer for both genders{self.titles[part]}"
            yield alike.accuracy(f"{self.stem}-consistency-{part}", title, "same", part)
        yield from self._correlations()

    def leaning(self) -> dict[str, float]:
        """For each occupation, how much more often female pronouns are resolved to it than male."""
        found = {}
        for occupation in sorted({item.occupation for item in self.items}):
            mask = np.array([item.occupation == occupation for item in self.items])
            shares = [float((self.answers[one][mask] == 0).mean()) for one in (FEMALE, MALE)]
            found[occupation] = shares[0] - shares[1]
        return found

    def exhibits(self, count: int) -> Iterator[Exhibit]:
        """The table, the outcomes, the occupations and some sentences."""
        labels = {part: title.removeprefix(", ") or "all" for part, title in self.titles.items()}
        yield table_of(self.compared(), FEMALE, MALE, labels)
        said = {
            gender: [_SAID[int(one)] for one in found] for gender, found in self.answers.items()
        }
        yield outcome_shares(said, tuple(_SAID.values()))
        yield self._occupations()
        yield from examples(list(self._cases()), ("female", "male", "resolved to"), count)

    def _occupations(self) -> Points:
        order = sorted(self.leaning().items(), key=lambda one: -one[1])
        return Points(
            id="occupations",
            title="Assumed gender of occupations",
            x="share of female pronouns resolved to the occupation, less that of male ones",
            ends=("female pronouns", "male pronouns"),
            points=tuple(Point(label=name, x=value) for name, value in order if value),
            caption="Occupations without any difference are left out.",
        )

    def _cases(self) -> Iterator[tuple[str, ...]]:
        for row, item in enumerate(self.items):
            given = {gender: int(self.answers[gender][row]) for gender in (FEMALE, MALE)}
            if given[FEMALE] != given[MALE]:
                asked = {gender: questions_of(item, gender) for gender in given}
                said = (f"{gender}: {asked[gender].said(one)}" for gender, one in given.items())
                yield asked[FEMALE].text, asked[MALE].text, "; ".join(said)

    def _correlations(self) -> Iterator[Measurement]:
        women = shares_of_women()
        leaning = self.leaning()
        for source, says in _SOURCES.items():
            name = f"{self.stem}-correlation-{source}"
            title = f"Correlation with the share of women, {says}"
            if women is None:
                why = f"the shares are not here; get them with: unslant files fetch {STATISTICS}"
                yield Measurement(metric=name, title=title, value=None, why_undefined=why)
                continue
            known = [one for one in leaning if one in women[source]]
            found = correlation(
                [women[source][one] for one in known],
                [leaning[one] for one in known],
                seed=self.seed,
                resamples=max(self.resamples, 1),
            )
            is_sure = self.resamples and found.low is not None and found.high is not None
            yield Measurement(
                metric=name,
                title=title,
                value=found.value,
                why_undefined=found.why_undefined,
                interval=Interval(
                    low=found.low, high=found.high, level=0.95, how="BCa over occupations"
                )
                if is_sure and found.low is not None and found.high is not None
                else None,
                p=PValue(
                    value=found.p, how=found.how, alternative="two-sided", outcomes=found.outcomes
                )
                if found.p is not None
                else None,
                details={"occupations": len(known), "coefficient": "Pearson"},
            )


# Every version of every sentence put to a model.


def asked_by_gender(
    model: Coreference,
    asked: TextSet,
    parts: Mapping[str, Mask],
    titles: Mapping[str, str],
    seed: int,
    resamples: int,
    setting: Setting,
) -> ByGender:
    """The answers to all sentences."""
    genders = list(asked.items[0].versions)
    questions = [questions_of(item, gender) for item in asked.items for gender in genders]
    given = np.array(outcomes(model, questions, restricted=False, progress=setting.progress))
    return ByGender(
        stem=asked.name,
        items=asked.items,
        answers={gender: given[n :: len(genders)] for n, gender in enumerate(genders)},
        parts=parts,
        titles=titles,
        resamples=0 if setting.values_only else resamples,
        seed=seed,
        key=f"{asked.name} {asked.content_hash}",
    )


def found_by(found: ByGender, examples: int, *, values_only: bool) -> Findings:
    """The findings from the answers."""
    measured = tuple(found.measurements())
    if all((given == NEITHER).all() for given in found.answers.values()):
        return Findings(measurements=without_values(measured, len(found.items)))
    if values_only:
        return Findings(measurements=measured)
    return Findings(measurements=measured, exhibits=tuple(found.exhibits(examples)))
