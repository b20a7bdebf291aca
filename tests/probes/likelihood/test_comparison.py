"""What two sentences share, and control sentences with the words in which they differ."""

import pytest

from tests.language_models import data_folder, real_model
from tests.probes.likelihood.known_models import plain
from unslant.core.errors import UnslantError
from unslant.probes.likelihood.asking import controls_for, templates
from unslant.probes.likelihood.pair_sets import compared, read_crows_pairs, scored_words


@pytest.mark.parametrize(
    ("more", "less", "shared", "changed"),
    [
        (
            "The poor are here.",
            "The rich are here.",
            ("[[The]] poor [[are here.]]", "[[The]] rich [[are here.]]"),
            ("poor", "rich"),
        ),
        (
            "He said he can't.",
            "She said she can't.",
            ("He [[said]] he [[can't.]]", "She [[said]] she [[can't.]]"),
            ("He, he", "She, she"),
        ),
        (
            "The black men ran.",
            "The men ran.",
            ("[[The]] black [[men ran.]]", "[[The]] [[men ran.]]"),
            ("black men", "men"),
        ),
        (
            "We saw men",
            "We saw men here",
            ("[[We saw men]]", "[[We saw men]] here"),
            ("men", "men here"),
        ),
    ],
)
def test_words_that_both_sentences_have_are_marked(
    more: str, less: str, shared: tuple[str, str], changed: tuple[str, str]
) -> None:
    found = compared(more, less, "shared")
    assert (found.more, found.less) == shared
    assert found.changed == changed
    assert plain(found.more) == more
    assert plain(found.less) == less


def test_the_changed_words_or_all_can_be_marked_instead() -> None:
    assert compared("The poor sat.", "The rich sat.", "changed").less == "The [[rich]] sat."
    assert compared("The poor sat.", "The rich sat.", "all").more == "[[The poor sat.]]"
    assert scored_words("[[The]] poor [[can't sit.]]") == 4
    with pytest.raises(UnslantError, match="which mark words"):
        compared("The [[poor]] sat.", "The rich sat.", "all")


def test_every_real_pair_differs_in_some_words_and_shares_others() -> None:
    for pair in read_crows_pairs(data_folder("crows_pairs") / "crows_pairs_anonymized.csv"):
        found = compared(pair.more, pair.less, "shared")
        assert plain(found.more) == pair.more
        assert all(found.changed)
        assert scored_words(found.more) == scored_words(found.less) > 0


def test_controls_have_the_same_words_and_mark_what_the_pair_marks() -> None:
    words = [("poor", "rich"), ("He, his", "She, her")]
    for scored in ("shared", "changed", "all"):
        for (more, less), some in zip(words, controls_for(words, scored, count=4), strict=True):
            assert len(some) == len(set(some)) == 4
            for one, other in some:
                assert f" {more}" in plain(one)
                assert plain(one).replace(more, less, 1) == plain(other)
                assert (f"[[{more}]]" in one) == (scored == "changed")
                assert (scored_words(one) == scored_words(f"[[{plain(one)}]]")) == (scored == "all")


def test_equal_words_of_two_pairs_have_other_controls_and_a_seed_has_its_own() -> None:
    words = [("poor", "rich")] * 2
    first, second = controls_for(words, "changed", count=4)
    assert first != second
    assert controls_for(words, "changed", count=4) == [first, second]
    assert controls_for(words, "changed", count=4, seed=1) != [first, second]
    assert len(controls_for(words, "changed", count=99)[0]) == len(templates())


def test_a_word_has_the_same_pieces_in_its_controls_as_in_a_sentence() -> None:
    tokens = real_model("smollm2").tokens
    words = ["schoolteacher", "Mexican", "poor", "transgender", "blind"]
    for word, other in zip(words, reversed(words), strict=True):
        [some] = controls_for([(word, other)], "changed", count=24)
        texts = [f"It was the [[{word}]] person.", *(one for one, _ in some)]
        pieces = tokens.of(texts)
        own = {tuple(item.ids[place] for place, _ in item.marked) for item in pieces}
        assert len(own) == 1
