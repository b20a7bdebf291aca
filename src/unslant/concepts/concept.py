"""A protected attribute as data."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from unslant.concepts.wordlists import WordList
from unslant.core.errors import UnknownNameError
from unslant.core.visible import visible

Lists = Mapping[str, WordList]
Items = Literal["words", "sentences"]


@dataclass(frozen=True, kw_only=True, repr=False)
class AssociationTest:
    """Target sets and attribute sets whose association is tested."""

    name: str
    concept: str
    title: str
    targets: Lists
    attributes: Lists

    @property
    def content_hash(self) -> str:
        """A hash of the words (and sentences) of all sets, in their order."""
        sets = [[*self.targets.items()], [*self.attributes.items()]]
        plain = [[(name, item.all_words, *item.sentences) for name, item in kind] for kind in sets]
        return hashlib.sha256(json.dumps(plain, ensure_ascii=False).encode()).hexdigest()

    @property
    def items(self) -> Items:
        """Whether a test measures words, or sentences that represent them."""
        lists = (*self.targets.values(), *self.attributes.values())
        return "sentences" if any(item.sentences for item in lists) else "words"

    def __str__(self) -> str:
        return f"{self.concept}/{self.name}"

    def __repr__(self) -> str:
        lists = (*self.targets.values(), *self.attributes.values())
        words = sum(len(item) for item in lists)
        return f"<AssociationTest {visible(str(self))}: {len(lists)} lists, {words:,} words>"


@dataclass(frozen=True, kw_only=True, repr=False)
class Concept:
    """Groups, words that represent them, words that should be neutral, and tests.

    ``words`` and ``names`` are keyed by group; ``sets`` are tables with one column per group
    (definitional pairs, equalise sets); ``neutral`` words should not carry the attribute and
    ``specific`` ones do by definition. The first group is the positive side of a direction;
    ``direction`` is the estimator used by default and ``alternatives`` are others to compare.
    ``measures`` are what an audit runs besides the association tests and direct bias. ``items``
    says whether the tests measure words, or sentences made of them. ``language`` is the code of
    the language of all words, such as ``de``, empty if the concept does not say.
    """

    name: str
    title: str
    version: str
    about: str
    content_hash: str
    groups: tuple[str, ...] = ()
    language: str = ""
    items: Items = "words"
    direction: str | None = None
    alternatives: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    words: Lists = field(default_factory=dict)
    names: Lists = field(default_factory=dict)
    sets: Lists = field(default_factory=dict)
    neutral: Lists = field(default_factory=dict)
    specific: Lists = field(default_factory=dict)
    lists: Lists = field(default_factory=dict)
    tests: Mapping[str, AssociationTest] = field(default_factory=dict)

    @property
    def members(self) -> Lists:
        """The words that represent each group, or its names if it has no such words."""
        return self.words or self.names

    @property
    def all_words(self) -> tuple[str, ...]:
        """Every word of the concept and its tests once, in alphabetical order."""
        places = [self.words, self.names, self.sets, self.neutral, self.specific]
        places += [kind for t in self.tests.values() for kind in (t.targets, t.attributes)]
        lists = (item for place in places for item in place.values())
        return tuple(sorted({word for item in lists for word in item.all_words}))

    def test(self, name: str) -> AssociationTest:
        """The association test called ``name``, in any case."""
        known = {key.lower(): test for key, test in self.tests.items()}
        if not isinstance(name, str) or name.lower() not in known:
            raise UnknownNameError(f"test of {self.name}", str(name), self.tests)
        return known[name.lower()]

    def table(self, name: str) -> WordList:
        """The table of pairs or tuples called ``name``."""
        if name not in self.sets:
            raise UnknownNameError(f"set of {self.name}", name, self.sets)
        return self.sets[name]

    def list(self, name: str) -> WordList:
        """The list called ``name``, anywhere in the concept; a group name returns its words."""
        places = (self.lists, self.neutral, self.specific, self.sets, self.words)
        for place in places:
            if name in place:
                return place[name]
        known = sorted({key for place in places for key in place})
        raise UnknownNameError(f"list of {self.name}", name, known)

    def __str__(self) -> str:
        return f"{self.name}: {self.title}"

    def __repr__(self) -> str:
        groups = ", ".join(self.groups) or "no groups"
        count = len(self.tests)
        tests = f"{count} test" if count == 1 else f"{count} tests"
        return f"<Concept {visible(self.name)}: {visible(groups)}; {tests}>"
