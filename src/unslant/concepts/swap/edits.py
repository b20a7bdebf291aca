"""Replacements in a text, and the articles that have to follow them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unslant.concepts.swap.articles import article_for
from unslant.concepts.swap.result import SwappedWord

_ARTICLE = re.compile(r"(?<![\w'’-])(an?)\s+$", re.IGNORECASE)


@dataclass(frozen=True)
class Edit:
    """New text for what is between two places."""

    start: int
    end: int
    new: str


def edits_of(text: str, words: Iterable[SwappedWord]) -> list[Edit]:
    """The edits that put the new words in, with a or an before them kept right."""
    edits = []
    for word in words:
        if not word.is_changed:
            continue
        found = _ARTICLE.search(text, max(0, word.start - 20), word.start)
        if found:
            new = article_for(found[1], word.old, word.new)
            if new != found[1]:
                edits.append(Edit(found.start(1), found.end(1), new))
        edits.append(Edit(word.start, word.end, word.new))
    return edits


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text with the edits, which are in order and do not overlap."""
    parts, end = [], 0
    for edit in edits:
        parts += [text[end : edit.start], edit.new]
        end = edit.end
    return "".join(parts) + text[end:]


def back_at(words: Sequence[SwappedWord], edits: Sequence[Edit]) -> list[int]:
    """Where each word begins in the edited text."""
    places, moved, left = [], 0, list(edits)
    for word in words:
        while left and left[0].start < word.start:
            edit = left.pop(0)
            moved += len(edit.new) - (edit.end - edit.start)
        places.append(word.start + moved)
    return places
