"""Possessive endings, which depend on the word: the ladies' rooms, the gentlemen's rooms."""

import re

_OPEN_QUOTE = re.compile(r"(?:^|[\s(])['‘](?=\S)|‘")


def with_possessive(old: str, new: str, clitic: str) -> tuple[str, str] | None:
    """A plural and its counterpart with the ending of each, if the two endings differ.

    >>> with_possessive("gentlemen", "ladies", "'s")
    ("gentlemen's", "ladies'")
    >>> with_possessive("men", "women", "'s") is None
    True
    """
    if clitic[1:].lower() != "s" or not old.lower().endswith("men") or new[-1:].lower() != "s":
        return None
    return old + clitic, new + clitic[0]


def with_apostrophe(old: str, new: str, text: str, end: int) -> tuple[str, str, bool] | None:
    """The same for a word that ends in s and an apostrophe, and whether that is surely one.

    In a text with single quotation marks the apostrophe may close a quotation.
    """
    sign = text[end : end + 1]
    is_bare = sign in ("'", "’") and not text[end + 1 : end + 2].isalpha()
    if not sign or not is_bare or old[-1:].lower() != "s" or new[-1:].lower() == "s":
        return None
    ending = "S" if new.isupper() else "s"
    return old + sign, f"{new}{sign}{ending}", not _OPEN_QUOTE.search(text, 0, end)


def has_cut_ending(old: str, new: str, following: str) -> bool:
    """Whether the token that follows is a possessive ending that does not fit the new word."""
    if following in ("'s", "’s"):
        return old.lower().endswith("men") and new[-1:].lower() == "s"
    return following in ("'", "’") and old[-1:].lower() == "s" and new[-1:].lower() != "s"
