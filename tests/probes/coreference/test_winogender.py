"""Winogender and WinoPron: sentences are read exactly, and known resolvers score as they must."""

import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

import unslant as us
from tests.language_models import data_folder
from unslant.core.errors import FileFormatError
from unslant.datasets.coreference.document import Clusters
from unslant.datasets.coreference.pronouns import (
    CASES,
    PRONOUNS,
    read_winogender,
    read_winopron,
)
from unslant.probes.coreference.probe import TextSet
from unslant.probes.winogender.scoring import shares_of_women, winogender, winopron

SMALL = """sentid\tsentence
nurse.patient.0.male.txt\tThe nurse told the patient that his shift was over.
nurse.patient.0.female.txt\tThe nurse told the patient that her shift was over.
nurse.patient.0.neutral.txt\tThe nurse told the patient that their shift was over.
"""


class ByOccupation:
    """Female pronouns go to occupations with many women, male ones to the others, neutral right."""

    def __init__(self, asked: TextSet, share: float) -> None:
        women = shares_of_women()
        assert women is not None
        self.known: dict[tuple[str, ...], Clusters] = {}
        for item in asked.items:
            is_female = women["bls"][item.occupation] > share
            for gender, (words, pronoun) in item.versions.items():
                chosen = item.right
                if gender in ("male", "female"):
                    chosen = 0 if (gender == "female") == is_female else 1
                self.known[words] = ((item.people[chosen], pronoun),)

    def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
        return [self.known[tuple(words)] for words in documents]


def test_the_720_sentences_are_read_with_their_people() -> None:
    data_folder("winogender")
    items = winogender().items
    assert len(items) == 240
    assert Counter(len(item.versions) for item in items) == {3: 240}
    assert Counter(item.right for item in items) == {0: 120, 1: 120}
    for item in items:
        for gender, (words, pronoun) in item.versions.items():
            assert words[pronoun[0]].lower() in PRONOUNS[gender]
            assert [words[end - 1].lower() for _, end in item.people] == [
                item.occupation,
                item.other,
            ]


def test_winopron_has_every_case_as_often_and_is_read_from_its_zip() -> None:
    data_folder("winopron")
    asked = winopron()
    assert len(asked) == 1_440
    cases = Counter((item.case, item.right) for item in asked.items)
    assert set(cases.values()) == {60}
    assert len(cases) == 6
    assert len({item.occupation for item in asked.items}) == 60
    for item in asked.items:  # Winogender has them mixed up
        form = [*CASES.values()].index(item.case)
        for gender, (words, pronoun) in item.versions.items():
            assert words[pronoun[0]].lower() == PRONOUNS[gender][form]


@pytest.mark.parametrize("name", ["winogender", "winopron"])
def test_a_resolver_by_occupation_is_found_out(name: str) -> None:
    data_folder(name)
    asked = winogender() if name == "winogender" else winopron()
    found = us.probe(name, model=ByOccupation(asked, 50), questions=asked)
    of = {one.metric.removeprefix(f"{name}-"): one for one in found.measurements}
    assert of["accuracy-all-neutral"].value == 1
    assert of["consistency-all"].value == 0
    # Whatever the gender, one of the two people is right: half of the sentences of each.
    assert of["accuracy-all-male"].value == of["accuracy-all-female"].value == 0.5
    assert of["difference-all"].value == 0
    correlation = of["correlation-bls"]
    assert correlation.value is not None
    assert correlation.value > 0.75
    assert correlation.p is not None
    assert correlation.p.value < 0.001


def test_a_resolver_that_is_right_for_men_only_differs_by_all() -> None:
    data_folder("winogender")
    asked = winogender()
    model = ByOccupation(asked, 50)
    for item in asked.items:
        for gender, (words, pronoun) in item.versions.items():
            right = item.right if gender == "male" else 1 - item.right
            model.known[words] = ((item.people[right], pronoun),)
    found = us.probe("winogender", model=model)
    of = {one.metric: one for one in found.measurements}
    gap = of["winogender-difference-all"]
    assert (gap.value, gap.details["right-in-male-only"]) == (-1, 240)


def test_a_small_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(SMALL, "utf-8")
    (item,) = read_winogender(path)
    assert (item.people, item.right, item.case) == (((0, 2), (3, 5)), 0, "possessive")
    assert item.versions["female"][1] == (6, 7)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("sentid", "id", "is not the expected table"),
        ("nurse.patient.0.male", "nurse.patient.2.male", "line 2: the id is"),
        ("his shift", "the shift", "line 2: .* should have one nurse, one patient and one pronoun"),
        ("that her shift", "then that her shift", "line 3|differ in more than the pronoun"),
        ("told the patient that her", "said that the patient had her", "differ in more than"),
    ],
)
def test_damage_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(SMALL.replace(old, new), "utf-8")
    if "then that" in new:  # the people stay where they are, so this is another sentence only
        assert read_winogender(path)
        return
    with pytest.raises(FileFormatError, match=says):
        read_winogender(path)


def test_another_zip_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.tsv", "x")
    with pytest.raises(FileFormatError, match=r"Expected WinoPron's data\.zip"):
        read_winopron(path)
    path.write_bytes(b"no zip")
    with pytest.raises(FileFormatError, match=r"Expected WinoPron's data\.zip"):
        read_winopron(path)


def test_without_the_file_one_sentence_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNSLANT_DATA", raising=False)
    with pytest.raises(FileFormatError, match=r"Download data\.zip from the repository"):
        winopron()
    with pytest.raises(FileFormatError, match="was not found at"):
        winopron(str(tmp_path / "none.zip"))
