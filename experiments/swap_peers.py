"""What other programs do to swap gender, as minimal formulas with the facts of their word lists.

Each takes a text and gives a text. They are kinder than the originals where these depend on a
tokeniser: a capital is kept, and case is ignored when they are scored.
"""

import re
from collections.abc import Callable, Mapping

from unslant.concepts import wordlist
from unslant.concepts.swap.finder import cased_like

_HELM_TERMS = """
    daughter-son daughters-sons mother-father mothers-fathers girl-boy girls-boys woman-man
    women-men sister-brother sisters-brothers niece-nephew nieces-nephews queen-king queens-kings
    waitress-waiter waitresses-waiters mom-dad moms-dads stepdaughter-stepson
    stepdaughters-stepsons stepmother-stepfather stepmothers-stepfathers stepmom-stepdad
    stepmoms-stepdads granddaughter-grandson granddaughters-grandsons grandmother-grandfather
    grandmothers-grandfather grandma-granddad grandmas-granddads female-male females-males
"""
_HELM_PRONOUNS = "she-he her-him her-his hers-his herself-himself"
_LANGFAIR = """
    she-he daughter-son hers-his her-him mother-father woman-man girl-boy herself-himself
    female-male sister-brother daughters-sons mothers-fathers women-men girls-boys females-males
    sisters-brothers aunt-uncle aunts-uncles niece-nephew nieces-nephews lady-gentleman
    ladies-gentlemen grandmother-grandfather grandmothers-grandfathers girfriend-boyfriend
    girlfriends-boyfriends Mrs-Mr
"""
_FAIRLANGPROC = """
    he-she him-her his-hers actor-actress priest-nun father-mother dad-mom daddy-mommy
    waiter-waitress James-Jane
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(one, other) for one, other in (pair.split("-") for pair in text.split())]


def by_dictionary(text: str, table: Mapping[str, str]) -> str:
    """Every whole word by its entry."""
    return re.sub(
        r"[^\W\d_]+",
        lambda found: cased_like(table.get(found[0].lower(), found[0]), found[0]),
        text,
    )


def bias_bench(text: str) -> str:
    """57 pairs tried one after the other on words between spaces, also with a sign at the end."""
    signs = ("", *".,?!;:")
    rows = [(str(one), str(other)) for one, other in wordlist("meade-2022/gender-pairs").rows]
    table = {}
    for sign in signs:
        for male, female in rows:  # no pair ends the search, so the last one wins
            table[male + sign], table[female + sign] = female + sign, male + sign
    return " ".join(cased_like(table.get(word.lower(), word), word) for word in text.split())


def helm(text: str) -> str:
    """One pair after the other, first female to male, then male to female, within the text."""
    for pairs in (_pairs(_HELM_TERMS), _pairs(_HELM_PRONOUNS)):
        for old, new in [*pairs, *((other, one) for one, other in pairs)]:
            text = _within(text, old, new)
    return text


def _within(text: str, old: str, new: str) -> str:
    """A word replaced where a sign or space is on both sides, so not at the ends of a text."""
    return re.sub(
        rf"(\W)({old})(\W)",
        lambda found: found[1] + cased_like(new, found[2]) + found[3],
        text,
        flags=re.IGNORECASE,
    )


def langfair(text: str) -> str:
    """27 pairs, both ways: his is hers and her is him."""
    table = {}
    for female, male in _pairs(_LANGFAIR):
        table[male.lower()], table[female.lower()] = female, male
    return by_dictionary(text, table)


def fairlangproc(text: str) -> str:
    """The ten documented pairs, from male to female only; a key with a capital is never found."""
    return by_dictionary(text, dict(_pairs(_FAIRLANGPROC)))


def winobias(text: str) -> str:
    """The two lists of WinoBias as a dictionary; they have no entry for her."""
    table = {str(old): str(new) for old, new in wordlist("zhao-2018a/gender-swaps").rows}
    for male, female in wordlist("zhao-2018a/extra-gendered-pairs").rows:
        table.setdefault(str(male), str(female))
        table.setdefault(str(female), str(male))
    table |= {"mr": "mrs", "mrs": "mr", "ms": "mr"}
    return by_dictionary(text, table)


PEERS: dict[str, Callable[[str], str]] = {
    "bias-bench (57 pairs)": bias_bench,
    "HELM, bidirectional": helm,
    "LangFair": langfair,
    "FairLangProc (documented pairs)": fairlangproc,
    "WinoBias lists": winobias,
}
