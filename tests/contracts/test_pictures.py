"""The terminal pictures of the README show what the commands print today."""

import re
from itertools import zip_longest
from pathlib import Path

import pytest
from scripts.terminal_picture import PICTURES, drawn, words_of

from unslant.core.record import Record
from unslant.reports.answers import answer

IMAGES = Path(__file__).parents[2] / "docs" / "images"
LAST_DIGIT = 2
"""By how many units of its last digit a number may differ: other machines round otherwise."""


@pytest.mark.usefixtures("data")  # the tables of quality need it
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_a_command_shows_what_it_prints(name: str) -> None:
    record = PICTURES[name][1]()
    shown = words_of((IMAGES / name).read_text(encoding="utf-8"))
    stale = difference(shown, words_of(drawn(name, record)))
    assert stale == "", f"docs/images/{name} is stale; run: make figures"
    assert begins_with_the_verdict(shown, record)


def begins_with_the_verdict(shown: list[str], record: Record) -> bool:
    """Whether the first sentence after the warnings is the record's conclusion."""
    assert record.conclusion is not None
    assert record.conclusion.sentence in answer(record)[0]
    return record.conclusion.sentence in " ".join(shown)


def difference(shown: list[str], printed: list[str]) -> str:
    """The first word in which two texts differ, with those before it; nothing if they agree."""
    for place, (old, new) in enumerate(zip_longest(shown, printed, fillvalue="")):
        if not alike(old, new):
            return f"{' '.join(shown[max(place - 8, 0) : place])} [{old} → {new}]"
    return ""


def alike(old: str, new: str) -> bool:
    """Whether two words are the same, but for the last digit of a number."""
    if old == new:
        return True
    found = [re.fullmatch(r"([^\d−]*)(−?\d+\.\d+)(\D*)", word) for word in (old, new)]
    first, second = found
    if first is None or second is None or first.group(1, 3) != second.group(1, 3):
        return False
    digits = {len(match[2].partition(".")[2]) for match in (first, second)}
    values = [float(match[2].replace("−", "-")) for match in (first, second)]
    return len(digits) == 1 and abs(values[0] - values[1]) < (LAST_DIGIT + 0.5) / 10 ** max(digits)


@pytest.mark.parametrize(
    ("old", "new", "is_alike"),
    [
        ("0.123", "0.124", True),
        ("(−1.80", "(−1.81", True),
        ("0.123", "0.129", False),
        ("0.12", "0.123", False),
        ("strong", "moderate", False),
        ("1.72", "", False),
        ("12", "13", False),
    ],
)
def test_only_the_last_digit_of_a_number_may_differ(old: str, new: str, is_alike: bool) -> None:
    assert alike(old, new) == is_alike
    assert (difference(["a", old], ["a", new]) == "") == is_alike
