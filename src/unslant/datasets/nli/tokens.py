"""Cut a sentence into the lower-case tokens that word vectors know."""

import re
import unicodedata

# Every alternative that scans far is followed by one that consumes what it scanned, so that no
# text makes the search go over the same characters again and again.
_TOKEN = re.compile(
    r"""
      n't\b | '(?:s|re|ve|ll|d|m)\b           # the clitics of the Penn Treebank
    | [^\W_]+(?=n't\b)                        # and the verb that one stands on: do + n't
    | \d+(?:\.\d+)+                           # 3.5
    | [^\W\d_](?:\.[^\W\d_])+(?!\w)\.?        # u.s. and p.m., but not "street.A"
    | [^\W_]+
    | [^\w\s] | _                             # a sign is a token of its own
    """,
    re.VERBOSE,
)

_STRAIGHT = str.maketrans(
    {"‘": "'", "’": "'", "‛": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "‟": '"'}
)


def tokenise(sentence: str) -> list[str]:
    """The tokens of a sentence, in lower case; hyphens, clitics and signs stand alone.

    A text that was cut into tokens by the Penn Treebank's rules gives the same tokens as the text
    it was made from, its quotation marks included.

    >>> tokenise("The man's T-shirt isn’t red.")
    ['the', 'man', "'s", 't', '-', 'shirt', 'is', "n't", 'red', '.']
    """
    if not sentence.isascii():
        sentence = unicodedata.normalize("NFC", sentence).translate(_STRAIGHT)
    if "``" in sentence or "''" in sentence:
        sentence = sentence.replace("``", '"').replace("''", '"')
    return _TOKEN.findall(sentence.lower())
