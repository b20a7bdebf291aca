r"""Words in any script: letters with the marks that belong to them.

Python's ``\w`` and ``isalpha`` leave combining marks out, so they break Hindi, Thai or Tamil words
at every vowel sign, and text in decomposed form at every accent. Chinese, Japanese, Thai, Lao,
Khmer and Burmese put no spaces between words, so there a word is found inside a run of letters.
"""

import re
import sys
import unicodedata
from collections.abc import Iterator

_JOINERS = "\u200c\u200d"
"""Zero-width joiners, which Persian and the scripts of India write inside words."""


def _marks() -> Iterator[str]:
    """The combining marks of the first plane, as ranges of a character class."""
    first = last = -2
    for code in range(0x0300, 0x10000):
        if unicodedata.category(chr(code))[0] != "M":
            continue
        if code != last + 1:
            if first > 0:
                yield f"{chr(first)}-{chr(last)}"
            first = code
        last = code
    yield f"{chr(first)}-{chr(last)}"


MARKS = "".join(_marks()) + _JOINERS
"""Inside a character class: the marks and joiners that continue a word."""

LETTERS = rf"[^\W\d_]+(?:[{MARKS}]+[^\W\d_]*)*"
"""As a part of a regular expression: letters with their marks."""

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u9fff\uf900-\ufaff\uff66-\uff9d"
    f"{chr(0x20000)}-{chr(min(0x3FFFF, sys.maxunicode))}]"
)


def is_word(text: str) -> bool:
    """Whether a text is letters alone, with their marks.

    >>> is_word("nurse"), is_word("हिन्दी"), is_word("ครู"), is_word("女性"), is_word("b2b")
    (True, True, True, True, False)
    """
    return text.isalpha() or _WHOLE.fullmatch(text) is not None


def is_unspaced(text: str) -> bool:
    """Whether a text has a letter of a script that puts no spaces between words.

    >>> is_unspaced("护士"), is_unspaced("ครู"), is_unspaced("간호사"), is_unspaced("nurse")
    (True, True, False, False)
    """
    return _UNSPACED.search(text) is not None


_WHOLE = re.compile(LETTERS)
