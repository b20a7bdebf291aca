"""What holds for every text: the double swap, what stays unchanged, and the number of tokens."""

import re

from hypothesis import given
from hypothesis import strategies as st

from unslant.concepts import concept
from unslant.concepts.swap import pronouns as cues
from unslant.concepts.swap import swap_of
from unslant.concepts.swap.table import table_of

SWAP = swap_of("gender")
TABLE = table_of(concept("gender"))
GROUP_WORDS = sorted([*TABLE.words, "her", "his", "him", "hers", "miss"])
NAMES = sorted(name.title() for name in TABLE.names)
OTHERS = cues.word_set("""
    a an the old saw gave to of in with and is was told dog flowers happy home . , ; ! ? -- ' ( )
    " (s) s/ street St. Mr. 12 café’s -in-law ex- 's ’s they that own last dance running
""")
words = st.one_of(
    st.sampled_from(GROUP_WORDS).flatmap(
        lambda word: st.sampled_from([word, word.title(), word.upper(), f"{word}'s", f"{word}'"])
    ),
    st.sampled_from(NAMES),
    st.sampled_from(sorted(OTHERS)),
)
texts = st.lists(
    st.tuples(words, st.sampled_from([" ", " ", " ", "", "\n", "-"])), max_size=12
).map(lambda parts: "".join(word + gap for word, gap in parts))

before = st.sampled_from(sorted(["", "for", "to", "behind", *cues.TWO_OBJECTS]))
after = st.sampled_from(
    sorted(["", ".", *cues.SOFT, *cues.KIN, *cues.PAST_FORMS, "large", "warmly"])
)
pronouns = st.sampled_from(["her", "him", "his", "hers"])
phrases = st.tuples(before, pronouns, after, after).map(" ".join)


@given(st.one_of(texts, phrases))
def test_a_certain_text_is_its_own_double_swap(text: str) -> None:
    swapped = SWAP(text)
    if swapped.is_certain:
        assert SWAP(swapped.text).text == text


@given(st.one_of(texts, st.text()))
def test_only_the_named_words_and_articles_change(text: str) -> None:
    swapped = SWAP(text)
    end, pattern = 0, ""
    for word in swapped.words:
        assert text[word.start : word.end] == word.old
        assert (word.status == "untouched") <= (word.old == word.new)
        pattern += _with_articles(text[end : word.start]) + re.escape(word.new)
        end = word.end
    pattern += _with_articles(text[end:])
    assert re.fullmatch(pattern, swapped.text, re.DOTALL)


def _with_articles(gap: str) -> str:
    """A pattern for text between words, in which an article just before a word may change."""
    found = re.search(r"(?<![\w'’-])an?(\s+)$", gap, re.IGNORECASE)
    if not found:
        return re.escape(gap)
    return f"{re.escape(gap[: found.start()])}[Aa][Nn]?{re.escape(found[1])}"


@given(st.lists(st.one_of(words, st.text(max_size=8)), max_size=15))
def test_tokens_keep_their_number_and_agree_with_the_text(tokens: list[str]) -> None:
    swapped = SWAP.tokens(tokens)
    assert len(swapped.tokens) == len(swapped.statuses) == len(tokens)
    assert " ".join(swapped.tokens) == SWAP(" ".join(tokens)).text


@given(st.sampled_from(sorted(TABLE.words)))
def test_a_certain_word_returns(word: str) -> None:
    entry = TABLE.words[word]
    if entry.status == "certain":
        assert TABLE.words[entry.new.lower()].new.lower() == word
