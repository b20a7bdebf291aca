"""How ELMo spells a word: its bytes in UTF-8 between two signs, filled up to a fixed length.

The numbers are those of the released weights (Peters et al. 2018): bytes are 0 to 255, then come
the beginning and end of a sentence, the beginning and end of a word, and filling. All are raised by
1, because row 0 of the table stands for no character at all.
"""

SIGNS = 262
_SENTENCE_BEGINS, _SENTENCE_ENDS, _WORD_BEGINS, _WORD_ENDS, _FILLING = 256, 257, 258, 259, 260

Spelling = tuple[int, ...]


def spelled(word: str, length: int = 50) -> Spelling:
    """The numbers of a word's characters; what does not fit is cut off, as in the original.

    >>> spelled("hi", 6)
    (259, 105, 106, 260, 261, 261)
    """
    return _between(word.encode("utf-8", "ignore")[: length - 2], length)


def sentence_bounds(length: int = 50) -> tuple[Spelling, Spelling]:
    """The words that stand for the beginning and the end of a sentence."""
    return _between((_SENTENCE_BEGINS,), length), _between((_SENTENCE_ENDS,), length)


def _between(characters: bytes | Spelling, length: int) -> Spelling:
    signs = (_WORD_BEGINS, *characters, _WORD_ENDS)
    filled = (*signs, *(_FILLING,) * (length - len(signs)))
    return tuple(sign + 1 for sign in filled)
