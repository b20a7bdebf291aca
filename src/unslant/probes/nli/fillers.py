"""The words of a slot: written out, or bundled lists by name."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unslant.concepts import wordlist
from unslant.core.errors import ConceptError, UnknownNameError, quoted
from unslant.core.toml_source import Where
from unslant.probes.nli.sentences import TemplateError

_REFERENCE = re.compile(r"[a-z0-9-]+/[a-z0-9.-]+")
_KEYS = ("words", "groups", "kinds", "bare", "proper", "repeats")
LONGEST_WORD = 200


@dataclass(frozen=True, kw_only=True)
class Fillers:
    """The words that fill the subject on one side, and how they are written.

    A ``bare`` word takes no determiner (a name, a pronoun); where the words are ``proper`` each
    is written with a capital; where they have ``repeats``, a word may stand twice.
    """

    words: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bare: frozenset[str] = frozenset()
    proper: bool = False
    repeats: bool = False

    def unique(self) -> "Fillers":
        """The same with each word once, at its first place."""
        return Fillers(
            words=tuple(dict.fromkeys(self.words)),
            groups=self.groups,
            kinds=self.kinds,
            bare=self.bare,
            proper=self.proper,
        )

    def checked(self, where: Where) -> "Fillers":
        """These fillers, or an error that says what is wrong with them."""
        if not self.repeats and (twice := _repeated(self.words)):
            raise TemplateError(
                f"{where} has {quoted(twice)} more than once. Remove what is repeated, or write "
                f"repeats = true to count it each time."
            )
        for key, parts in (("groups", self.groups), ("kinds", self.kinds)):
            named = [word for words in parts.values() for word in dict.fromkeys(words)]
            if twice := _repeated(named):
                raise TemplateError(f"{where}: {quoted(twice)} is in two {key}; one is allowed.")
            self._must_have(named, where / key)
        self._must_have(sorted(self.bare), where / "bare")
        return self

    def _must_have(self, words: Sequence[str], where: Where) -> None:
        known = set(self.words)
        for word in words:
            if word not in known:
                raise TemplateError(f"{where}: {UnknownNameError('word there', word, known)}")


def fillers_from(value: object, where: Where) -> Fillers:
    """The fillers that a template names: words alone, or a table that says more of them."""
    if not isinstance(value, dict):
        return Fillers(words=words_from(value, where)).checked(where)
    for key in value:
        if key not in _KEYS:
            raise TemplateError(f"{where / key}: {UnknownNameError('key', key, _KEYS)}")
    groups, kinds = (_parts(value.get(key, {}), where / key) for key in ("groups", "kinds"))
    for key in ("proper", "repeats"):
        if not isinstance(value.get(key, False), bool):
            raise TemplateError(f"{where}: {key} must be true or false.")
    if "words" in value:
        words = words_from(value["words"], where / "words")
    elif groups:
        words = tuple(word for part in groups.values() for word in part)
    else:
        raise TemplateError(
            f'{where}: "{where.key}" has no words. Write words = ["…", "…"], or give the '
            f"words by groups."
        )
    bare = value.get("bare", False)
    bare_words = words if bare is True else () if bare is False else words_from(bare, where)
    return Fillers(
        words=words,
        groups=groups,
        kinds=kinds,
        bare=frozenset(bare_words),
        proper=value.get("proper", False),
        repeats=value.get("repeats", False),
    ).checked(where)


def words_from(value: object, where: Where) -> tuple[str, ...]:
    """An array of words, or a bundled list by name; an array may name lists too."""
    entries = [value] if isinstance(value, str) and _REFERENCE.fullmatch(value) else value
    if not isinstance(entries, list) or not all(isinstance(item, str) for item in entries):
        raise TemplateError(
            f'{where}: "{where.key}" must be an array of words, as in ["…", "…"], or the name of '
            f'a bundled list, as in "dev-2020/occupations".'
        )
    words: list[str] = []
    for entry in entries:
        if _REFERENCE.fullmatch(entry):
            try:
                words.extend(wordlist(entry).all_words)
            except (ConceptError, UnknownNameError) as error:
                raise TemplateError(f"{where}: {error}") from error
        elif entry != " ".join(entry.split()) or not entry or not entry.isprintable():
            raise TemplateError(
                f"{where}: {_shown(entry)} is not a word. A word is not empty and has no line "
                f"breaks, control characters or spaces around it."
            )
        elif len(entry) > LONGEST_WORD:
            raise TemplateError(
                f'{where}: "{entry[:20]}…" has {len(entry):,} characters. A word has at most '
                f"{LONGEST_WORD}."
            )
        else:
            words.append(entry)
    if not words:
        raise TemplateError(f'{where}: "{where.key}" is empty. Give it at least one word.')
    return tuple(words)


def _parts(value: object, where: Where) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise TemplateError(f'{where}: "{where.key}" must be a table of named lists of words.')
    parts: dict[str, Any] = value
    return {name: words_from(words, where / name) for name, words in parts.items()}


def _shown(entry: str) -> str:
    """An entry as an error shows it: control characters written out, and not all of a novel."""
    return repr(entry if len(entry) <= LONGEST_WORD else f"{entry[:20]}…")


def _repeated(words: Sequence[str]) -> list[str]:
    return [word for word, count in Counter(words).items() if count > 1]
