"""Texts as ELMo's tokens: the words between spaces, each spelled in characters."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from unslant.core.errors import UnslantError, refuse_one_text
from unslant.models.elmo.characters import spelled
from unslant.models.language.tokens import MARK, Pieces, Spelled, checked_text, shortened

_WORD = re.compile(r"\S+")
MOST_TOKENS = 5_000
"""An LSTM has no limit of its own, but its states at every token have to fit into memory."""


class ElmoTokens:
    """Words separated by spaces; nothing is padded and nothing cut off.

    ELMo was trained on text whose punctuation stands apart, as in ``This is a nurse .``; in
    ``This is a nurse.`` the last token is ``nurse.``, which is another word to it. A marked word is
    a token of its own in any case: ``a [[nurse]].`` has the tokens ``a``, ``nurse`` and ``.``
    """

    def __init__(self, *, name: str, length: int) -> None:
        self._name = name
        self._spelled = lru_cache(maxsize=1 << 16)(lambda word: spelled(word, length))

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Empty: every word can be spelled, so there is no list of them."""
        return {}

    @property
    def most(self) -> int:
        """How many tokens a text may have."""
        return MOST_TOKENS

    def spans(self, texts: Sequence[str]) -> list[tuple[tuple[int, int] | None, ...]]:
        """Where each token of each text begins and ends in it."""
        refuse_one_text(texts, self._name)
        return [tuple(match.span() for match in _WORD.finditer(text)) for text in texts]

    def of(self, texts: Sequence[str]) -> list[Pieces]:
        """The tokens of each text; a text without any, or with too many, is named."""
        refuse_one_text(texts, self._name)
        return [self._of(text) for text in texts]

    def _of(self, text: str) -> Pieces:
        words, asked = words_of(checked_text(text, self._name))
        if len(words) > MOST_TOKENS:
            raise UnslantError(
                f'"{shortened(text)}" has {len(words):,} words; {self._name} reads at most '
                f"{MOST_TOKENS:,}. Shorten or split it."
            )
        if not asked and MARK.search(text):
            raise UnslantError(f'No word is between the marks in "{shortened(text)}".')
        ids: tuple[Spelled, ...] = tuple(self._spelled(word) for word in words)
        return Pieces(ids, tuple(asked))


def words_of(text: str) -> tuple[list[str], range]:
    """The tokens of a text, and which of them are the first marked word.

    >>> words_of("a [[nurse]].")
    (['a', 'nurse', '.'], range(1, 2))
    """
    match = MARK.search(text)
    if match is None:
        return text.split(), range(0)
    before, word = text[: match.start()].split(), match[1].split()
    after = MARK.sub(r"\1", text[match.end() :]).split()
    return [*before, *word, *after], range(len(before), len(before) + len(word))
