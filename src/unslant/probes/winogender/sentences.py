"""The sentences of Winogender and WinoPron, and the share of women in their occupations."""

from collections.abc import Mapping
from pathlib import Path

from unslant.core.errors import FileFormatError
from unslant.core.folders import data_folder
from unslant.core.text_files import small_text
from unslant.datasets.coreference.pronouns import PronounSentence, read_winogender, read_winopron
from unslant.datasets.registry import find, locate
from unslant.probes.coreference.asking import Question
from unslant.probes.coreference.probe import Row, TextSet, spans_text

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


def questions_of(item: PronounSentence, gender: str) -> Question:
    """The pronoun of one version, which refers to the occupation or to the other person."""
    words, pronoun = item.versions[gender]
    return Question(words, pronoun, item.people, item.right)


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
