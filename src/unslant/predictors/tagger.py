"""What a tagger is: anything that gives a tag for each word."""

import re
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from unslant.core.errors import UnslantError

_TAG = re.compile(r"O|[BIESLU]-.+", re.DOTALL)
_IN_IOB = {"E": "I", "L": "I", "S": "B", "U": "B"}


@runtime_checkable
class Tagger(Protocol):
    """A model for named entities or parts of speech."""

    def tag(self, sentences: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
        """For each sentence, given as its words, one tag for each word, such as B-PER or O."""
        ...


def entity_tags(tagger: Tagger, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """What a tagger for entities gives, checked, in IOB: I-PER continues an entity or begins one.

    Tags of schemes that also mark the end of an entity (BIOES, BILOU) are read as IOB2.
    """
    given, who = tagger.tag(sentences), f"{type(tagger).__name__}.tag"
    if len(given) != len(sentences):
        raise UnslantError(
            f"{who} gave tags of {len(given)} sentences for {len(sentences)}; expected one list of "
            f"tags for each."
        )
    return [_checked(*both, who) for both in zip(sentences, given, strict=True)]


def _checked(words: Sequence[str], tags: Sequence[str], who: str) -> tuple[str, ...]:
    shown = " ".join(words)[:60]
    if len(tags) != len(words):
        raise UnslantError(
            f'{who} gave {len(tags)} tags for the {len(words)} words of "{shown}"; expected one '
            f"for each."
        )
    for tag in tags:
        if not isinstance(tag, str) or not _TAG.fullmatch(tag):
            raise UnslantError(
                f'{who} gave the tag {tag!r:.30} in "{shown}"; expected O, or B- or I- and a kind '
                f"of entity, such as B-PER."
            )
    return tuple(tag if tag == "O" else _IN_IOB.get(tag[0], tag[0]) + tag[1:] for tag in tags)
