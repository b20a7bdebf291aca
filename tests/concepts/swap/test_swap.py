"""The swap of English texts: pronouns by their role, casing, endings, articles, and statuses."""

import pytest

from unslant.concepts.read import parse_concept
from unslant.concepts.swap import Swap, swap_of
from unslant.concepts.swap.swap import NOT_BACK
from unslant.core.errors import ConceptError


@pytest.fixture(scope="module")
def swap() -> Swap:
    return swap_of("gender")


CERTAIN = {
    "She lost her keys.": "He lost his keys.",
    "I saw her.": "I saw him.",
    "They told her that it was over": "They told him that it was over",
    "The car is his.": "The car is hers.",
    "A friend of his, I think.": "A friend of hers, I think.",
    "That book is hers": "That book is his",
    "HE SAID SHE WAS HIS FRIEND": "SHE SAID HE WAS HER FRIEND",
    "He's sure she'll come; she’d like it.": "She's sure he'll come; he’d like it.",
    "Mr. and Mrs. Smith": "Mrs. and Mr. Smith",
    "Yes, sir.": "Yes, madam.",
    "Her ex-husband and his mother-in-law": "His ex-wife and her father-in-law",
    "A father-son trip": "A mother-daughter trip",
    "my sister's husband’s uncles": "my brother's wife’s aunts",
    "the ladies' coats": "the gentlemen's coats",
    "the gentlemen's coats": "the ladies' coats",
    "the girls' coats": "the boys' coats",
    "An heiress and a heroine": "An heir and a hero",
    "Emma's brother met Robert.": "William's sister met Margaret.",
    '"Queen," she said': '"King," he said',
    "he": "she",
    "The waitress served the policemen.": "The waiter served the policewomen.",
    "he/she": "she/he",
    "My fiancée left.": "My fiancé left.",
}


@pytest.mark.parametrize("text", CERTAIN)
def test_a_certain_text_is_swapped_and_swapped_back(swap: Swap, text: str) -> None:
    swapped = swap(text)
    assert swapped.text == CERTAIN[text]
    assert swapped.is_certain
    assert swap(swapped.text).text == text


DOUBTFUL = {
    "They gave her flowers.": "her",
    "I watched her dance.": "her",
    "Her crying daughter": "Her",
    "Miss Bates left": "Miss",
    "Lord Catley left": "Lord",
    "the Lady Catley": "Lady",
    "ma'am": "ma'am",
    "Ms. Lee": "Ms",
    "You guys!": "guys",
    "our sister company": "sister",
    "Man is mortal.": "Man",
    "To man the boats": "man",
    "Grace came.": "Grace",
    "She met Will": "Will",
    "Will came": "Will",
    "the hero": "hero",
    "emma left": "emma",
    "praise to Him": "Him",
    "man-made": "man",
    "her 'friend'": "her",
    "a fellow": "fellow",
    "the Beach Boys": "Boys",
    "Stephen King": "King",
}


@pytest.mark.parametrize("text", DOUBTFUL)
def test_a_word_whose_role_or_sense_is_open_is_ambiguous_with_a_reason(
    swap: Swap, text: str
) -> None:
    [word] = [word for word in swap(text).words if word.status == "ambiguous"]
    assert word.old == DOUBTFUL[text]
    assert word.reason
    assert not swap(text).is_certain


LEFT = ("I miss you", "s/he knows", "(s)he knows", "The manager left", "Jordan left", "Mrs. James")


@pytest.mark.parametrize("text", LEFT)
def test_a_word_that_does_not_stand_for_a_group_here_is_untouched_and_named(
    swap: Swap, text: str
) -> None:
    words = [word for word in swap(text).words if word.status == "untouched"]
    assert len(words) == 1
    assert words[0].old == words[0].new
    assert words[0].reason


def test_the_places_of_the_words_are_those_in_the_original(swap: Swap) -> None:
    text = "An actor's wife, a lady, knew his name."
    for word in swap(text).words:
        assert text[word.start : word.end] == word.old


def test_an_article_follows_the_word_after_it_but_not_across_an_adjective(swap: Swap) -> None:
    text = "an Oliver, a Isabel, an old Oliver, a Mary, vitamin A Oliver"
    assert swap(text).text == "an Isabel, a Oliver, an old Isabel, a John, vitamin A Isabel"
    assert swap("a Emily, an Edward").text == "a Edward, an Emily"
    assert swap("an Alice").text == "a Henry"
    assert swap("An Alice").text == "A Henry"


def test_a_word_that_the_swap_back_does_not_return_is_ambiguous(swap: Swap) -> None:
    apes = swap_of(parse_concept(PETS.replace('"puppies", "kittens"', '"ape", "bird"'), "apes"))
    for swapping, text in ((swap, "It drew for him large maps."), (apes, "It is a ape.")):
        assert swapping(swapping(text).text).text != text
        [word] = swapping(text).words
        assert (word.status, word.reason) == ("ambiguous", NOT_BACK)


def test_names_can_be_left_alone(swap: Swap) -> None:
    assert swap_of("gender", names=False)("Emma loves her uncle.").text == "Emma loves his aunt."


def test_tokens_keep_their_number_and_tell_the_status_of_each(swap: Swap) -> None:
    tokens = ["Mr.", "Bennet", "gave", "an", "heiress", "her", "due", ";", "he", "'s", "gone", "."]
    swapped = swap.tokens(tokens)
    assert len(swapped.tokens) == len(swapped.statuses) == len(tokens)
    assert swapped.tokens[:2] == ("Mrs.", "Bennet")
    assert swapped.tokens[8:10] == ("she", "'s")
    assert swapped.statuses[0] == "certain"
    assert swapped.statuses[1] is None
    assert not swap.tokens(["the", "gentlemen", "'s", "club"]).is_certain


def test_a_verb_that_begins_a_question_is_no_name(swap: Swap) -> None:
    assert swap("Will you? May I?").words == ()


def test_a_text_without_group_words_is_unchanged_and_says_so(swap: Swap) -> None:
    swapped = swap("The table is blue.")
    assert swapped.text == "The table is blue."
    assert (swapped.count, swapped.words, swapped.is_certain) == (0, (), True)
    assert swap("").text == ""


def test_names_of_race_are_swapped_within_each_gender() -> None:
    swapped = swap_of("race")("Emily and Greg met Jamal.")
    assert swapped.text == "Kenya and Kareem met Brett."
    assert swapped.is_certain


def test_a_name_of_race_that_is_also_a_place_is_ambiguous_and_titles_tell_nothing() -> None:
    swap = swap_of("race")
    assert [word.status for word in swap("They met Kenya and Mrs. Emily.").words] == [
        "ambiguous",
        "ambiguous",
    ]


def test_a_concept_with_other_than_two_groups_is_refused_by_name() -> None:
    with pytest.raises(ConceptError, match="religion has 3: jewish, christian, muslim"):
        swap_of("religion")
    with pytest.raises(ConceptError, match="caliskan has none"):
        swap_of("caliskan")


PETS = """
name = "pets"
groups = ["cat", "dog"]
[sets.definitional]
columns = ["dog", "cat"]
rows = [["dog", "cat"], ["puppies", "kittens"], ["hound", "cat"], ["sheep dog", "house cat"]]
"""


def test_an_own_concept_is_swapped_by_its_pairs_each_word_once() -> None:
    swap = swap_of(parse_concept(PETS, "pets"))
    swapped = swap("A cat's kittens saw her hound and his DOGS, a dog.")
    assert swapped.text == "A dog's puppies saw her hound and his DOGS, a cat."
    assert swap(swapped.text).text == "A cat's kittens saw her hound and his DOGS, a dog."


def test_a_concept_without_pairs_is_refused_with_what_to_add() -> None:
    with pytest.raises(ConceptError, match=r"pets has no pairs to swap.*\[sets\]"):
        swap_of(parse_concept('name = "pets"\ngroups = ["cat", "dog"]', "pets"))


OWN = """
name = "own"
groups = ["male", "female"]
[sets.definitional]
columns = ["male", "female"]
rows = [["he", "she"], ["his", "her"], ["drake", "duck"]]
"""


def test_an_own_concept_of_gender_has_the_english_rules_and_its_own_pairs() -> None:
    swapped = swap_of(parse_concept(OWN, "own"))("He gave it to her and his duck.")
    assert swapped.text == "She gave it to him and her drake."
