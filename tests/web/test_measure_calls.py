"""Measures that a page names: what could be a file of the user's is refused unread."""

import pytest

from unslant.core.errors import UnslantError
from unslant.core.parameters import parameters_of
from unslant.measures.registry import MEASURES
from unslant.web.measuring import checked_measure

GOOD = (
    "weat",
    "weat(ddof=0)",
    "nli(set=marked-attribute)",
    "nli(names)",
    "similarity(dataset=men)",
    "lpbs(test=gender/career-family)",
    "perplexity(text=plain-english)",
    "probing(contexts=everyday)",
    "direct-bias(neutral=occupations)",
    "ripa(pairs=names)",
    "cbs(groups=religion)",
)
BAD = (
    "nli(set=/etc/passwd)",
    "nli(set=mine.toml)",
    "nli(mine)",
    "similarity(dataset=/etc/passwd)",
    "similarity(dataset=mine)",
    "analogy(dataset=../x.txt)",
    "lpbs(test=../x/y)",
    "perplexity(text=mine)",
    "masked-accuracy(text=notes.txt)",
    "probing(contexts=mine)",
    "ceat(corpus=mine)",
    "crows-pairs(pairs=mine.csv)",
    "stereoset(data=folder)",
    "nli-accuracy(data=folder)",
    "name-swap(corpus=mine)",
    "aceat(names=mine)",
    "direct-bias(subspace=~/x)",
    "nli(resamples=100000)",
)


@pytest.mark.parametrize("text", GOOD)
def test_what_is_bundled_may_be_named(text: str) -> None:
    assert checked_measure(text).name == text.partition("(")[0]


@pytest.mark.parametrize("text", BAD)
def test_what_may_be_a_file_is_refused(text: str) -> None:
    with pytest.raises(UnslantError):
        checked_measure(text)


def test_no_text_parameter_of_any_measure_takes_a_path() -> None:
    for entry in MEASURES:
        for parameter in parameters_of(entry.component):
            if parameter.type is str:
                with pytest.raises(UnslantError):
                    checked_measure(f'{entry.name}({parameter.name}="/etc/passwd")')
