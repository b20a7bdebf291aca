"""Whether vectors fit the language of a concept, or that of another bundled one better.

The share of a language's words that the vectors contain is one lookup for each word. It is taken
only if the concept's own words are mostly missing, and over single words: expressions of several
words are missing from most vectors in any language.
"""

from dataclasses import dataclass

from unslant.concepts.concept import Concept
from unslant.concepts.languages import language_name, weathub_code, weathub_names
from unslant.concepts.read import concept as concept_from
from unslant.vectors import Space

FEW = 0.5
"""With at least this share of its words found, no concept of another language is sought."""
CLEARLY = 0.2
"""By how much more the share of another language's words must be."""


@dataclass(frozen=True, kw_only=True)
class LanguageFit:
    """A bundled concept whose language the vectors fit better, and the shares of words found."""

    asked: Concept
    share_asked: float
    concept: str
    share: float

    def __str__(self) -> str:
        of = f" ({language_name(self.asked.language)})" if self.asked.language else ""
        return (
            f"They contain {self.share_asked:.0%} of the single words of {self.asked.name}{of}, "
            f"but {self.share:.0%} of those of {self.concept} "
            f"({language_name(weathub_code(self.concept))}): try --concept {self.concept}."
        ).replace("%", " %")


def better_fit(space: Space, asked: Concept, case: str) -> LanguageFit | None:
    """The bundled concept whose language fits clearly better; None if the requested one fits."""
    own = share_found(space, asked, case)
    if own >= FEW:
        return None
    others = [name for name in weathub_names() if weathub_code(name) != asked.language]
    shares = {name: share_found(space, concept_from(name), case) for name in others}
    best = max(shares, key=lambda name: shares[name])
    if shares[best] < own + CLEARLY:
        return None
    return LanguageFit(asked=asked, share_asked=own, concept=best, share=shares[best])


def share_found(space: Space, concept: Concept, case: str) -> float:
    """The share of the single words of a concept that a space has."""
    words = [word for word in concept.all_words if " " not in word]
    return len(space.lookup(words, case).words) / len(words) if words else 1.0
