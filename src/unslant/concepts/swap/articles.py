"""``a`` or ``an``, kept right when the word after it changes."""

import re

_CONSONANT_SOUND = re.compile(
    r"(eu|ew|uni(?!n|m)|u[bkst][aeiu]|uti|ura|uro|one\b|once|ou[ij])", re.IGNORECASE
)
_SILENT_H = re.compile(r"(heir|hour|honest|hono)", re.IGNORECASE)


def article_before(word: str) -> str:
    """The indefinite article that goes before a word, by its spelling.

    >>> [article_before(word) for word in ("actress", "hero", "heiress", "unicorn", "uncle")]
    ['an', 'a', 'an', 'a', 'an']
    """
    if _SILENT_H.match(word):
        return "an"
    return "an" if word[:1].lower() in "aeiou" and not _CONSONANT_SOUND.match(word) else "a"


def article_for(article: str, old: str, new: str) -> str:
    """The article of a text after ``old`` became ``new``: changed only if it was right before.

    >>> article_for("An", "Oliver", "Mary"), article_for("a", "king", "queen")
    ('A', 'a')
    """
    right, wanted = article_before(old), article_before(new)
    if right == wanted or article.lower() != right:
        return article
    if article.isupper() and (len(article) > 1 or new.isupper()):
        return wanted.upper()
    return wanted.capitalize() if article[0].isupper() else wanted
