"""Sentences for words, by the kind of word: ``This is a {}.`` for a thing, ``They are {}.`` …

A concept whose items are sentences declares templates by kind, which words are of which kind, and
the forms of words that the rules for English get wrong::

    items = "sentences"
    [templates]
    thing = ["This is {a}.", "The {} is here.", "{s} are things."]
    [kinds]
    thing = ["caliskan-2017/flowers", "friend"]
    [forms]
    child = { plural = "children" }

``{}`` is the word in the singular, ``{a}`` with its article, ``{s}`` its plural. The first letter
of every sentence is made large.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from unslant.concepts.wordlists import WordList, wordlist
from unslant.core.errors import ConceptError, UnknownNameError
from unslant.core.toml_source import Where

TEMPLATE_KEYS = ("templates", "kinds", "forms")
_FORMS = ("singular", "plural", "article")
_SLOT = re.compile(r"\{(a|s|)\}")


@dataclass(frozen=True, kw_only=True)
class Templates:
    """The sentences that represent a word: ``by_kind``, each word's kind, and irregular forms."""

    by_kind: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, str]
    forms: Mapping[str, Mapping[str, str]]

    def of(self, word: str) -> tuple[str, ...]:
        """The sentences of a word, each once.

        >>> by_kind = {"thing": ("{a} is here.",)}
        >>> kinds = Templates(by_kind=by_kind, kinds={"ant": "thing"}, forms={})
        >>> kinds.of("ant")
        ('An ant is here.',)
        """
        odd = self.forms.get(word, {})
        singular = odd.get("singular", word)
        article = odd.get("article") or ("an" if singular[:1].lower() in "aeiou" else "a")
        forms = {
            "": singular,
            "a": f"{article} {singular}",
            "s": odd.get("plural") or _plural(singular),
        }
        texts = (
            _SLOT.sub(lambda slot: forms[slot[1]], text) for text in self.by_kind[self.kinds[word]]
        )
        return tuple(dict.fromkeys(text[:1].upper() + text[1:] for text in texts))

    def written_out(self, item: WordList, where: Where) -> WordList:
        """A list of words with the sentences of each."""
        if item.sentences:
            return item
        words = tuple(dict.fromkeys(item.all_words))
        for word in words:
            if word not in self.kinds:
                raise ConceptError(
                    f'{where}: no kind is given for "{word[:60]}", so it is not known which '
                    f"sentences to put it into. Name it, or its list, under [kinds]."
                )
        return replace(
            item, words=words, columns=(), rows=(), sentences=tuple(self.of(word) for word in words)
        )


def _plural(word: str) -> str:
    """The regular plural of an English noun.

    >>> [_plural(word) for word in ("daisy", "boy", "crash", "iris", "man-at-arms")]
    ['daisies', 'boys', 'crashes', 'irises', 'man-at-armses']
    """
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}es" if re.search(r"(s|x|z|ch|sh)$", word) else f"{word}s"


def templates_from(table: Mapping[str, Any], where: Where) -> Templates | None:
    """The templates that a concept file declares; None if its items are words."""
    items = table.get("items", "words")
    if items not in ("words", "sentences"):
        raise ConceptError(f'{where / "items"}: "items" must be "words" or "sentences".')
    keys = [key for key in TEMPLATE_KEYS if key in table]
    if items == "words":
        if keys:
            raise ConceptError(
                f'{where / keys[0]}: "{keys[0]}" makes sentences of words. Add the line '
                f'items = "sentences" at the top, or remove it.'
            )
        return None
    by_kind = {
        kind: _texts(value, where / "templates" / kind)
        for kind, value in _entries(table, "templates", where).items()
    }
    return Templates(
        by_kind=by_kind,
        kinds=_kinds(_entries(table, "kinds", where), by_kind, where / "kinds"),
        forms={
            word: _forms(value, where / "forms" / word)
            for word, value in _entries(table, "forms", where).items()
        },
    )


def _entries(table: Mapping[str, Any], key: str, where: Where) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise ConceptError(f'{where / key}: "{key}" must be a table.')
    return value


def _strings(value: object, where: Where) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ConceptError(f'{where}: "{where.key}" must be an array of strings, as in ["…", "…"].')
    return value


def _texts(value: object, where: Where) -> tuple[str, ...]:
    texts = _strings(value, where)
    for text in texts:
        if len(_SLOT.findall(text)) != 1:
            raise ConceptError(
                f"{where}: a template has one slot, {{}}, {{a}} (with its article) or {{s}} "
                f'(plural). Got "{text[:60]}".'
            )
    if not texts:
        raise ConceptError(f'{where}: the kind "{where.key}" has no template.')
    return tuple(texts)


def _kinds(
    given: Mapping[str, Any], by_kind: Mapping[str, tuple[str, ...]], where: Where
) -> dict[str, str]:
    """The kind of each word; a word that is named itself outweighs a list that contains it."""
    listed: dict[str, str] = {}
    named: dict[str, str] = {}
    for kind, value in given.items():
        if kind not in by_kind:
            raise ConceptError(f"{where / kind}: {UnknownNameError('kind', kind, by_kind)}")
        for entry in _strings(value, where / kind):
            if "/" not in entry:
                named[entry] = kind
                continue
            try:
                listed |= dict.fromkeys(wordlist(entry).all_words, kind)
            except (ConceptError, UnknownNameError) as error:
                raise ConceptError(f"{where / kind}: {error}") from error
    return listed | named


def _forms(value: object, where: Where) -> dict[str, str]:
    if not isinstance(value, dict) or not all(
        key in _FORMS and isinstance(text, str) and text for key, text in value.items()
    ):
        raise ConceptError(
            f'{where}: the forms of "{where.key}" are singular, plural and article, as in '
            f'{{ plural = "children" }}.'
        )
    return value
