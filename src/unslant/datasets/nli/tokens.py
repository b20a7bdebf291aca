"""Split a sentence into lower-case tokens as used by word vectors."""

import re
import unicodedata

# Every alternative that scans far is followed by one that consumes what it scanned, so that no
# text makes the search scan the same characters repeatedly.
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
    """The tokens of a sentence, in lower case; hyphens, clitics and signs are separate tokens.

    Text already tokenised by the Penn Treebank's rules gives the same tokens as the original text,
    including its quotation marks.

    >>> tokenise("The man's T-shirt isn’t red.")
    ['the', 'man', "'s", 't', '-', 'shirt', 'is', "n't", 'red', '.']
    """
    if not sentence.isascii():
        sentence = unicodedata.normalize("NFC", sentence).translate(_STRAIGHT)
    if "``" in sentence or "''" in sentence:
        sentence = sentence.replace("``", '"').replace("''", '"')
    return _TOKEN.findall(sentence.lower())
