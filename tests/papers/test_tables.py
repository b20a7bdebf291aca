"""How the pages print numbers."""

import pytest

from experiments.papers.tables import beside, markdown, number, percent, published, signed


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.3874, 3, ".387"),
        (-0.0031, 3, "−.003"),
        (-0.0001, 3, ".000"),
        (1.0, 3, "1.000"),
        (0.9996, 3, "1.000"),
        (-1.25, 2, "−1.25"),
        (10.05, 1, "10.1"),
        (20.0, 1, "20.0"),
        (0.0, 2, ".00"),
        (None, 3, "NA"),
    ],
)
def test_a_number_has_no_leading_zero_and_a_real_minus(
    value: float | None, digits: int, text: str
) -> None:
    assert number(value, digits) == text


def test_changes_have_their_sign() -> None:
    assert (percent(24.03), percent(-6.46)) == ("+24.0 %", "−6.5 %")
    assert (signed(0.0931), signed(-0.2), signed(0.0)) == ("+.093", "−.200", "+.000")


def test_the_published_number_stands_in_brackets() -> None:
    assert beside(".616", 0.198) == ".616 (.198)"
    assert beside("NA", None) == "NA (NA)"


def test_a_table_has_text_on_the_left_and_numbers_on_the_right() -> None:
    assert markdown(["", "a"], [["x", ".1"]]) == "|  | a |\n| --- | ---: |\n| x | .1 |"


def test_the_documents_own_numbers_are_all_there() -> None:
    sizes = {name: len(published(name)) for name in ("cheung-ip", "dev-2020", "dutta")}
    assert sizes == {"cheung-ip": 6, "dev-2020": 238, "dutta": 24}
    thesis = published("dawkins-2023")
    assert thesis["3.1", "GloVe nouns", "E"] == 0.182
    assert thesis["B.1", "GloVe.DHD", "DB"] is None
    assert len({row for table, row, _ in thesis if table == "B.1"}) == 16
    assert len(published("dawkins-2021")) == 23
