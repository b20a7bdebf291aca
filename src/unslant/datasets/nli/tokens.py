"""Split a sentence into tokens: in lower case as word vectors have them, or as they are written."""

import re
import unicodedata

# Every alternative that scans far is followed by one that consumes what it scanned, so that no
# text makes the search scan the same characters repeatedly.
_PATTERN = r"""
      n't\b | '(?:s|re|ve|ll|d|m)\b           # the clitics of the Penn Treebank
    | [^\W_]+(?=n't\b)                        # and the verb that one stands on: do + n't
    | \d+(?:\.\d+)+                           # 3.5
    | [^\W\d_](?:\.[^\W\d_])+(?!\w)\.?        # u.s. and p.m., but not "street.A"
    | [^\W_]+
    | [^\w\s] | _                             # a sign is a token of its own
    """
_LOWER_CASE = re.compile(_PATTERN, re.VERBOSE)
_ANY_CASE = re.compile(_PATTERN, re.VERBOSE | re.IGNORECASE)

_STRAIGHT = str.maketrans(
    {"‘": "'", "’": "'", "‛": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‟": '"'}
)


def tokenise(sentence: str, *, keeps_case: bool = False) -> list[str]:
    """The tokens of a sentence; hyphens, clitics and signs are separate tokens.

    They are in lower case unless case is kept, for models that read characters.

    Text already tokenised by the Penn Treebank's rules gives the same tokens as the original text,
    including its quotation marks.

    >>> tokenise("The man's T-shirt isn’t red.")
    ['the', 'man', "'s", 't', '-', 'shirt', 'is', "n't", 'red', '.']
    >>> tokenise("A US man ISN'T", keeps_case=True)
    ['A', 'US', 'man', 'IS', "N'T"]
    """
    if not sentence.isascii():
        sentence = unicodedata.normalize("NFC", sentence).translate(_STRAIGHT)
    if "``" in sentence or "''" in sentence:
        sentence = sentence.replace("``", '"').replace("''", '"')
    return _ANY_CASE.findall(sentence) if keeps_case else _LOWER_CASE.findall(sentence.lower())
