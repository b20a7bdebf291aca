"""The rules for her and his, on sentences by hand and on paragraphs whose answer is known."""

from collections import Counter

import pytest

from experiments.swap import SEED, edits, outcomes
from experiments.swap_pronouns import outcomes as mirrored
from experiments.swap_pronouns import paragraphs
from experiments.swap_sample import sample
from tests.language_models import data_folder
from unslant.concepts.swap.pronouns import Role, role_of_her, role_of_his
from unslant.concepts.swap.tokens import TokenPlace, tokens_of

HER = {
    "wash her car": Role(True),
    "with her hand": Role(True),
    "her own": Role(True),
    "told her mother": Role(True),
    "saw her": Role(False),
    "saw her.": Role(False),
    "gave her a book": Role(False),
    "let her go": Role(False),
    "help her out": Role(False),
    "love her dearly.": Role(False),
    "gave her flowers": Role(False, False),
    "called her mother": Role(True, False),
    "behind her stood": Role(False),
    "behind her sang": Role(True, False),
    "of her last night": Role(True, False),
    'saw her "friend"': Role(True, False),
    "seemed to her gratuitous irony": Role(True, False),
}
HIS = {
    "his car": Role(True),
    "his own": Role(True),
    "his 2 cars": Role(True),
    "is his.": Role(False),
    "of his is": Role(False),
    "his to keep": Role(False),
    "his and": Role(False, False),
    "his “friend”": Role(True, False),
    "sought his eagerly;": Role(False, False),
}


def place_of(text: str, word: str) -> TokenPlace:
    tokens = tokens_of(text)
    return TokenPlace(tokens, [token.text for token in tokens].index(word), text)


@pytest.mark.parametrize("text", HER)
def test_her_is_possessive_or_an_object(text: str) -> None:
    assert role_of_her(place_of(text, "her")) == HER[text]


@pytest.mark.parametrize("text", HIS)
def test_his_goes_with_a_noun_or_stands_alone(text: str) -> None:
    assert role_of_his(place_of(text, "his")) == HIS[text]


def test_her_in_place_of_him_and_his_is_told_apart_on_wikipedia() -> None:
    data_folder("gap")
    found = Counter(
        (sure, right) for text in set(paragraphs()) for _, sure, right in mirrored(text)
    )
    sure = found[(True, True)] + found[(True, False)]
    assert sure / found.total() > 0.75
    assert found[(True, False)] / sure < 0.003


def test_no_certain_word_of_the_500_sentences_is_wrong() -> None:
    for part in ("stereoset", "coref/litbank", "nli/snli"):
        data_folder(part)
    known = edits()
    totals: Counter[str] = Counter()
    for sentence in sample(SEED):
        totals += outcomes(sentence, known[sentence.key])[0]
    assert totals["certain-wrong"] == totals["untouched-wrong"] == 0
    assert totals["certain-right"] / totals.total() > 0.88
    assert totals["missed"] <= 11
