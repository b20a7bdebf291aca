"""Names by group: the bundled 40, and tables of the user's own."""

from pathlib import Path

import pytest

from unslant.concepts.name_table import DUTTA, crossed, name_table
from unslant.core.errors import ConceptError, UnknownNameError


def written(folder: Path, text: str, name: str = "names.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_bundled_names_are_ten_of_each_combination() -> None:
    table = name_table(DUTTA)
    assert len(table) == 40
    assert {key: len(names) for key, names in table.groups("race").items()} == {
        "African-American": 20,
        "European": 20,
    }
    both = table.groups("gender × race")
    assert [len(names) for names in both.values()] == [10] * 4
    for group, names in both.items():
        gender, race = group.split(" × ")
        assert set(names) == {*table.groups("gender")[gender]} & {*table.groups("race")[race]}


def test_attributes_cross_in_the_order_in_which_they_are_asked_for() -> None:
    table = name_table(DUTTA)
    assert next(iter(table.groups("race x gender"))) == "African-American × female"
    assert crossed("gender×race") == crossed("Gender * Race") == ("gender", "race")
    assert crossed("sex") == ("sex",)


def test_a_csv_and_a_toml_of_ones_own_are_the_same_table(tmp_path: Path) -> None:
    first = name_table(written(tmp_path, "Person,Age\nMary  Ann,old\nKai,young\n\n"))
    text = 'columns = ["name", "age"]\nrows = [["Mary Ann", "old"], ["Kai", "young"]]\n'
    second = name_table(written(tmp_path, text, "names.toml"))
    assert first.groups("age") == second.groups("age") == {"old": ("Mary Ann",), "young": ("Kai",)}
    assert first.content_hash == second.content_hash
    other = name_table(written(tmp_path, "Person,Age\nMary Ann,young\nKai,young\n"))
    assert other.content_hash != first.content_hash


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,gender\nAnn\n", "line 2: expected a name and a value for gender"),
        ("name,gender\nAnn,\n", "line 2: expected a name and a value for gender"),
        ("name,gender\nAnn,f\nAnn,m\n", 'line 3: the name "Ann" is in the table twice'),
        ("name\nAnn\n", "expected a first line with the name of each column"),
        ("name,a,A\nAnn,1,2\n", "expected a first line with the name of each column"),
        ("name,gender\n", "contains no names"),
        ('name,gender\n"Ann,f\n', "is not CSV"),
    ],
)
def test_a_malformed_table_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConceptError, match=said):
        name_table(written(tmp_path, text))


def test_unknown_tables_and_attributes_are_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="dutta/aceat-names"):
        name_table("dutta/aceat")
    with pytest.raises(UnknownNameError, match="gender, race"):
        name_table(DUTTA).groups("age")
    with pytest.raises(ConceptError, match="There is no file"):
        name_table(tmp_path / "absent.csv")
    with pytest.raises(ConceptError, match="is not TOML"):
        name_table(written(tmp_path, "columns = [", "names.toml"))
