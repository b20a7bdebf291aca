"""Sentences with a tag for each word, and the entities that the tags mark."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

OUTSIDE = "O"


class Span(NamedTuple):
    """An entity: the places of its first and its last word, and its kind."""

    first: int
    last: int
    kind: str


@dataclass(frozen=True)
class TaggedSentence:
    """Words and their tags in the scheme IOB1 or IOB2, and the line of the first word.

    In both schemes I-PER continues an entity of its kind or, after anything else, begins one, and
    B-PER always begins one; in IOB2 every entity begins with B, in IOB1 only one that follows
    another of its kind directly. So the entities are exact without knowing the scheme.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if len(self.words) != len(self.tags):
            raise ValueError(f"{len(self.words)} words and {len(self.tags)} tags")

    def __str__(self) -> str:
        return " ".join(self.words)

    def spans(self, kind: str | None = None) -> tuple[Span, ...]:
        """Every entity in order, or those of one kind.

        >>> TaggedSentence(("Ann", "Bob", "ran"), ("I-PER", "B-PER", "O")).spans()
        (Span(first=0, last=0, kind='PER'), Span(first=1, last=1, kind='PER'))
        """
        found: list[Span] = []
        before = ""
        for place, tag in enumerate(self.tags):
            start, _, here = tag.partition("-")
            if here and (start == "B" or here != before):
                found.append(Span(place, place, here))
            elif here:
                found[-1] = found[-1]._replace(last=place)
            before = here
        return tuple(span for span in found if kind in (None, span.kind))

    def iob2(self) -> "TaggedSentence":
        """The same entities in IOB2, where each begins with B."""
        tags = [OUTSIDE] * len(self.words)
        for first, last, kind in self.spans():
            tags[first : last + 1] = [f"B-{kind}", *[f"I-{kind}"] * (last - first)]
        return replace(self, tags=tuple(tags))

    def replaced(self, span: Span, words: Sequence[str]) -> tuple["TaggedSentence", Span]:
        """The sentence with other words in an entity, and where these are.

        The first keeps the tag that the entity began with, so neighbours stay apart.
        """
        first, last, kind = span
        tags = (self.tags[first], *[f"I-{kind}"] * (len(words) - 1))
        changed = replace(
            self,
            words=(*self.words[:first], *words, *self.words[last + 1 :]),
            tags=(*self.tags[:first], *tags, *self.tags[last + 1 :]),
        )
        return changed, Span(first, first + len(words) - 1, kind)
