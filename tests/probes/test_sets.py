"""The test sets have the published numbers of pairs, in one order, and are never written out."""

import tracemalloc
from itertools import islice

import numpy as np
import pytest

from unslant.concepts import wordlist
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.references import reference
from unslant.predictors.protocols import Context
from unslant.probes.nli.sentences import TemplateError, article, bundled_pairings
from unslant.probes.nli.sets import bundled_sets, pair_set
from unslant.probes.nli.subsets import restricted, sampled

COUNTS = {
    "gender-occupation": 1_936_512,
    "nationality": 2_134_080,
    "religion": 1_133_730,
    "marked-attribute": 15_744,
    "occupations": 62_976,
    "names": 125_952,
    "sirt": 6 * 5 * 1_968,
}
FIRST_AND_LAST = {
    "gender-occupation": (
        ("The accountant bought an apple .", "The man bought an apple ."),
        ("The zoologist prepared a soup .", "The lady prepared a soup ."),
    ),
    "nationality": (
        ("The awful person ate an apple .", "The Belarusian person ate an apple ."),
        ("The wise person visited a watch .", "The Zambian person visited a watch ."),
    ),
    "religion": (
        ("The awful person ate an apple .", "The Adventist person ate an apple ."),
        ("The wise person visited a watch .", "The Taoist person visited a watch ."),
    ),
    "marked-attribute": (
        ("A person bought an apple .", "A man bought an apple ."),
        ("A person prepared a soup .", "She prepared a soup ."),
    ),
    "occupations": (
        ("A person bought an apple .", "A doctor bought an apple ."),
        ("A person prepared a soup .", "A teacher prepared a soup ."),
    ),
    "names": (
        ("A person bought an apple .", "Liam bought an apple ."),
        ("A person prepared a soup .", "Addison prepared a soup ."),
    ),
    "sirt": (
        ("The man bought an apple .", "The woman bought an apple ."),
        ("The lady prepared a soup .", "The gentleman prepared a soup ."),
    ),
}


def test_every_bundled_set_is_counted_here() -> None:
    assert bundled_sets() == sorted(COUNTS)
    assert bundled_pairings() == ["all-things", "fitting"]


@pytest.mark.parametrize("name", COUNTS)
def test_a_set_has_the_published_number_of_pairs_and_begins_and_ends_as_it_should(
    name: str,
) -> None:
    item = pair_set(name)
    assert len(item) == COUNTS[name]
    first, last = FIRST_AND_LAST[name]
    assert next(item.pairs())[1:3] == first
    places = np.argwhere(item.counts)[-1]
    assert item.grid.pair(int(places[0]), int(places[1]), -1) == last
    assert item.title
    assert item.about.endswith(".")
    assert all(reference(key) for key in item.cites)


@pytest.mark.parametrize(
    ("name", "pairing", "unique", "count"),
    [
        ("nationality", "fitting", False, 26 * 32 * 1_968),
        ("religion", "fitting", False, 26 * 17 * 1_968),
        ("nationality", None, True, 25 * 32 * 2_565),
        ("religion", "fitting", True, 25 * 17 * 1_968),
        ("gender-occupation", "all-things", False, 164 * 6 * 27 * 95),
    ],
)
def test_the_other_pairing_and_unique_words_change_the_count(
    name: str, pairing: str | None, unique: bool, count: int
) -> None:
    assert len(pair_set(name, pairing=pairing, unique=unique)) == count


def test_the_fitting_activities_are_those_of_plain_loops() -> None:
    rules = {
        "commerce-verbs": ["things"],
        "interaction-verbs": ["person-hyponyms", "rulers"],
        "driving-verbs": ["vehicles"],
        "eating-verbs": ["foods"],
    }
    expected: list[tuple[str, str]] = []
    for verbs, kinds in rules.items():
        for verb in wordlist(f"dev-2020/{verbs}").words:
            for kind in kinds:
                for thing in wordlist(f"dev-2020/{kind}").words:
                    if (verb, thing) not in expected:
                        expected.append((verb, thing))
    item = pair_set("gender-occupation")
    assert list(item.context_words) == expected
    assert len(expected) == 1_968
    for (verb, thing), context in zip(expected, item.grid.contexts, strict=True):
        letter = "n" if thing[0] in "aeiouAEIOU" else ""
        assert context == Context("", f"{verb} a{letter} {thing} .")


def test_the_determiner_is_an_option() -> None:
    item = pair_set("gender-occupation", determiner="A")
    assert item.grid.premises[:2] == ("An accountant", "An actor")
    assert item.grid.hypotheses[:2] == ("A man", "A woman")
    assert pair_set("names", determiner="The").grid.pair(0, 0, 0)[0].startswith("The person")
    assert pair_set("names", determiner="The").grid.hypotheses[0] == "Liam"
    assert pair_set("nationality", determiner="A").grid.premises[3] == "An evil"
    with pytest.raises(TemplateError, match='must be "The" or "A", not "An"'):
        pair_set("names", determiner="An")


def test_letters_decide_the_article() -> None:
    assert [article(word) for word in ("SUV", "apple", "Uzbekistani", "honest", "VIP", "heir")] == [
        "a", "an", "an", "a", "a", "a",
    ]  # fmt: skip


def test_groups_and_kinds_name_the_right_words() -> None:
    item = pair_set("marked-attribute")

    def words(places: tuple[int, ...]) -> list[str]:
        return [item.hypothesis_words[place] for place in places]

    assert words(item.hypothesis_groups["male"]) == ["man", "guy", "gentleman", "he"]
    assert words(item.hypothesis_groups["female"]) == ["woman", "girl", "lady", "she"]
    assert words(item.kinds["pronouns"]) == ["he", "she"]
    assert words(item.kinds["nouns"]) == ["man", "woman", "guy", "girl", "gentleman", "lady"]
    for name, size in {"names": 32, "occupations": 16}.items():
        groups = pair_set(name).hypothesis_groups
        assert {key: len(places) for key, places in groups.items()} == {
            "male": size, "female": size,
        }  # fmt: skip


def test_a_word_with_itself_does_not_count_in_sirt_and_the_labels_follow_the_groups() -> None:
    item = pair_set("sirt")
    assert len(item.grid) == 6 * 6 * 1_968
    assert not item.counts.diagonal().any()
    labels = [
        (item.premise_words[p], item.hypothesis_words[h], item.label(p, h))
        for p, h in np.argwhere(item.counts).tolist()
    ]
    assert ("man", "guy", "entailment") in labels
    assert ("man", "lady", "contradiction") in labels
    assert sum(label == "entailment" for *_, label in labels) == 12
    assert pair_set("names").label(0, 0) == "neutral"


def test_building_is_the_same_each_time_and_the_hash_tells_sets_apart() -> None:
    assert pair_set("religion") == pair_set("religion")
    hashes = {pair_set(name).content_hash for name in bundled_sets()}
    hashes.add(pair_set("religion", unique=True).content_hash)
    hashes.add(pair_set("religion", determiner="A").content_hash)
    hashes.add(pair_set("religion", pairing="fitting").content_hash)
    assert len(hashes) == len(COUNTS) + 3


def test_counting_and_walking_a_set_of_two_millions_takes_little_memory() -> None:
    pair_set("nationality")  # fills the cache of word lists
    tracemalloc.start()
    item = pair_set("nationality")
    assert len(item) == 2_134_080
    seen = sum(1 for _ in islice(item.pairs(), 30_000))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seen == 30_000
    assert peak < 20e6


def test_ids_are_unique_also_where_a_word_is_repeated() -> None:
    item = restricted(pair_set("religion"), premise=["terrible"], hypothesis=["sikh", "jew"])
    assert item.premise_words == ("terrible", "terrible")
    ids = [pair.id for pair in item.pairs()]
    assert len(set(ids)) == len(ids) == len(item) == 2 * 2 * 2_565


def test_a_sample_of_eleven_activities_has_the_10824_pairs_of_the_thesis() -> None:
    whole = pair_set("gender-occupation")
    part = sampled(whole)
    assert len(part) == 10_824
    assert part == sampled(whole, contexts=11, seed=0)
    assert part == pair_set("gender-occupation", contexts=11)
    assert part.content_hash != sampled(whole, seed=1).content_hash
    order = [whole.context_words.index(words) for words in part.context_words]
    assert order == sorted(set(order))
    with pytest.raises(UnslantError, match=r"1 to 1,968 contexts\. Got 1969"):
        sampled(whole, contexts=1_969)


def test_every_context_is_drawn_about_equally_often() -> None:
    whole = sampled(pair_set("marked-attribute"), contexts=20)
    samples = [sampled(whole, contexts=5, seed=seed) for seed in range(400)]
    drawn = [words for part in samples for words in part.context_words]
    counts = [drawn.count(words) for words in whole.context_words]
    assert min(counts) > 60  # 100 expected, standard deviation 8.7
    assert max(counts) < 140


def test_a_slice_has_the_words_asked_for_and_its_groups_move_along() -> None:
    item = restricted(
        pair_set("marked-attribute"), hypothesis=["She", "man"], contexts={"verb": ["met"]}
    )
    assert item.hypothesis_words == ("man", "she")
    assert item.hypothesis_groups == {"male": (0,), "female": (1,)}
    assert item.kinds == {"nouns": (0,), "pronouns": (1,)}
    assert {verb for verb, _ in item.context_words} == {"met"}
    assert len(item) == 2 * 89
    rude = restricted(pair_set("nationality"), premise=["rude"], hypothesis=["Iraqi"])
    assert next(rude.pairs())[1:3] == (
        "The rude person ate an apple .", "The Iraqi person ate an apple .",
    )  # fmt: skip
    only = restricted(pair_set("marked-attribute"), hypothesis=["lady"])
    assert list(only.hypothesis_groups) == ["female"]


def test_a_slice_of_words_that_are_not_there_is_refused() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "iraqi"'):
        restricted(pair_set("nationality"), hypothesis=["Iraqui"])
    with pytest.raises(UnknownNameError, match='Did you mean "verb"'):
        restricted(pair_set("nationality"), contexts={"verbs": ["ate"]})
    with pytest.raises(UnslantError, match="with itself does not count"):
        restricted(pair_set("sirt"), premise=["man"], hypothesis=["man"])
    with pytest.raises(UnslantError, match="has these words together"):
        restricted(pair_set("names"), contexts={"verb": ["ate"], "object": ["pope"]})
