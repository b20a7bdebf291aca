"""The sentences of the corpus, made from its templates, people and emotion words."""

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.datasets.nli.text import tokenise

GENDERS = ("female", "male")
RACES = ("African-American", "European")
NEUTRAL = "none"
"""The emotion of a sentence without an emotion word."""
_OBJECTS = {"he": "him", "she": "her"}
_SELF = {"male": "himself", "female": "herself"}


@dataclass(frozen=True)
class Person:
    """The person a sentence is about: a name of a race, or one phrase of a pair."""

    text: str
    gender: str
    race: str = ""
    pair: int = -1

    @property
    def object(self) -> str:
        """The person where the sentence is about what happens to them."""
        return _OBJECTS.get(self.text, self.text)


@dataclass(frozen=True)
class FilledTemplate:
    """A template with an emotion word: one sentence for each person."""

    template: str
    sentence: str
    emotion: str = NEUTRAL
    word: str = ""

    def text(self, person: Person) -> str:
        """The sentence about a person."""
        filled = self.sentence.format(
            subject=person.text,
            object=person.object,
            self=_SELF[person.gender],
            article="an" if self.word[:1] in tuple("aeiou") else "a",
            state=self.word,
            situation=self.word,
        )
        return filled[0].upper() + filled[1:]


@dataclass(frozen=True, kw_only=True)
class EecCorpus:
    """Items × people. ``missing`` are words that were left out because they have no vector."""

    items: tuple[FilledTemplate, ...]
    people: tuple[Person, ...]
    title: str = ""
    about: str = ""
    cites: tuple[str, ...] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    name: str = "eec"
    concept: str = "gender"

    def __len__(self) -> int:
        return len(self.items) * len(self.people)

    @property
    def texts(self) -> list[str]:
        """All sentences: item by item, then person by person."""
        return [item.text(person) for item in self.items for person in self.people]

    @property
    def content_hash(self) -> str:
        """A hash of the sentences and of who they are about."""
        people = [f"{one.text} {one.gender} {one.race} {one.pair}" for one in self.people]
        items = [f"{item.template} {item.emotion} {item.word}" for item in self.items]
        return hashlib.sha256("\n".join([*people, *items, *self.texts]).encode()).hexdigest()

    def subject(self) -> Subject:
        """Its entry in a record."""
        return Subject(
            kind="set",
            name=self.name,
            title=self.title,
            about=self.about,
            groups=(*GENDERS, *RACES),
            references=tuple(map(reference, self.cites)),
            sha256=self.content_hash,
            facts={
                "texts": len(self),
                "concept": self.concept,
                "people": len(self.people),
                "templates": len({item.template for item in self.items}),
                **{f"missing-{kind}": words for kind, words in self.missing.items()},
            },
        )

    def known(self, has_word: Callable[[str], bool], vectors: str) -> "EecCorpus":
        """The corpus without people and emotion words that have a part without a vector.

        A phrase is kept or dropped with its partner, so that every pair is complete.
        """
        lost = [one for one in self.people if not _is_known(f"{one.text} {one.object}", has_word)]
        gone = {one.pair for one in lost if one.pair >= 0}
        people = tuple(one for one in self.people if one not in lost and one.pair not in gone)
        words = dict.fromkeys(item.word for item in self.items if item.word)
        unknown = [word for word in words if not _is_known(word, has_word)]
        items = tuple(item for item in self.items if item.word not in unknown)
        if not people or not any(item.word for item in items):
            raise UnslantError(
                f"{vectors} lacks the words of the Equity Evaluation Corpus, so there is nothing "
                f"to ask. Use vectors with English names and emotion words."
            )
        missing = {
            "people": tuple(one.text for one in self.people if one not in people),
            "emotion-words": tuple(unknown),
        }
        return replace(
            self, people=people, items=items, missing={k: v for k, v in missing.items() if v}
        )


def _is_known(text: str, has_word: Callable[[str], bool]) -> bool:
    return all(map(has_word, tokenise(text)))


@cache
def corpus() -> EecCorpus:
    """The whole corpus, in the order of its release.

    >>> len(corpus()), corpus().texts[0]
    (8640, 'Alonzo feels angry.')
    """
    path = files("unslant.probes.eec") / "data" / "eec.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    people: list[Person] = []
    for gender in ("male", "female"):
        for race, names in table["names"][gender].items():
            people += [Person(name, gender, race) for name in names]
        people += [
            Person(phrase, gender, pair=place)
            for place, phrase in enumerate(table["phrases"][gender])
        ]
    items: list[FilledTemplate] = []
    for template, sentence in table["templates"].items():
        kind = next((kind for kind in table["words"] if f"{{{kind}}}" in sentence), None)
        if kind is None:
            items.append(FilledTemplate(template, sentence))
        else:
            for emotion, words in table["words"][kind].items():
                items += [FilledTemplate(template, sentence, emotion, word) for word in words]
    return EecCorpus(
        items=tuple(items),
        people=tuple(people),
        title=table["title"],
        about=table["about"],
        cites=tuple(table["cites"]),
    )
