"""Sentences with slots, and the rule for "a" and "an"."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from unslant.concepts import wordlist
from unslant.core.errors import ConceptError, UnknownNameError, UnslantError, quoted
from unslant.core.toml_source import Where
from unslant.predictors.protocols import Context
from unslant.probes.export import COLUMNS

SUBJECT, DETERMINER, ARTICLE = "subject", "determiner", "article"
DETERMINERS = ("The", "A")
_SLOT = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_LEADS = {f"{{{DETERMINER}}}", f"{{{ARTICLE}}}"}


class TemplateError(UnslantError):
    """A template file, or an option for one, that breaks the rules of the format."""


@dataclass(frozen=True)
class Sentence:
    """A sentence cut at its subject, the phrase in which premise and hypothesis differ.

    >>> sentence = sentence_from("{determiner} {subject} ate {article} {food} .")
    >>> sentence.filler("actor", determiner="A"), sentence.slots
    ('An actor', ('food',))
    >>> sentence.context({"food": "apple"}, determiner="A").after
    'ate an apple .'
    """

    before: tuple[str, ...]
    lead: str
    subject: str
    after: tuple[str, ...]
    slots: tuple[str, ...]

    def filler(self, word: str, *, determiner: str, is_bare: bool = False) -> str:
        """The phrase with this word; a bare one (a name, a pronoun) takes no determiner."""
        phrase = self.subject.replace(f"{{{SUBJECT}}}", word)
        if self.lead and not is_bare:
            phrase = f"{_lead(self.lead, determiner, phrase)} {phrase}"
        return phrase if self.before else capitalised(phrase)

    def context(self, words: Mapping[str, str], *, determiner: str) -> Context:
        """The text before and after the phrase, with these words in the other slots."""
        before = _filled(self.before, words, determiner)
        return Context(capitalised(before), _filled(self.after, words, determiner))


def sentence_from(text: str) -> Sentence:
    """Read a sentence such as "{determiner} {subject} {verb} {article} {object} ."."""
    tokens = text.split()
    names = _SLOT.findall(text)
    if "{" in _SLOT.sub("", text) or "}" in _SLOT.sub("", text):
        raise TemplateError(f'The sentence "{text}" has a brace without its partner.')
    for name in names:
        # An export has a column for each slot in addition to its own.
        if not _NAME.fullmatch(name) or name in COLUMNS:
            raise TemplateError(
                f'The sentence "{text}" has a slot called "{name}". A slot is named with small '
                f"letters, digits and _, and not {', '.join(COLUMNS)}."
            )
    if names.count(SUBJECT) != 1:
        raise TemplateError(
            f'The sentence "{text}" must have {{subject}} exactly once: it is where premise and '
            f"hypothesis differ. It has it {names.count(SUBJECT)} times."
        )
    place = next(n for n, token in enumerate(tokens) if f"{{{SUBJECT}}}" in token)
    if len(_SLOT.findall(tokens[place])) > 1:
        raise TemplateError(
            f'The sentence "{text}" joins {{subject}} to another slot. Put a space between them.'
        )
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        is_lead = f"{{{DETERMINER}}}" in token or f"{{{ARTICLE}}}" in token
        if is_lead and (token not in _LEADS or not following or following in _LEADS):
            raise TemplateError(
                f'In the sentence "{text}" a word must follow {{determiner}} and {{article}}, '
                f"with a space between."
            )
    has_lead = place > 0 and tokens[place - 1] in _LEADS
    others = (name for name in names if name not in (SUBJECT, DETERMINER, ARTICLE))
    return Sentence(
        before=tuple(tokens[: place - has_lead]),
        lead=tokens[place - 1] if has_lead else "",
        subject=tokens[place],
        after=tuple(tokens[place + 1 :]),
        slots=tuple(dict.fromkeys(others)),
    )


def article(word: str) -> str:
    """The article "an" before a, e, i, o and u, else "a"; letters decide, not sounds ("a SUV").

    >>> article("accountant"), article("SUV"), article("honest"), article("Uzbekistani")
    ('an', 'a', 'a', 'an')
    """
    return "an" if word[:1].lower() in tuple("aeiou") else "a"


def capitalised(text: str) -> str:
    """The text with its first letter a capital."""
    return text[:1].upper() + text[1:]


def _lead(lead: str, determiner: str, word: str) -> str:
    is_definite = lead == f"{{{DETERMINER}}}" and determiner == "The"
    return "the" if is_definite else article(word)


def _filled(tokens: Sequence[str], words: Mapping[str, str], determiner: str) -> str:
    filled = [_SLOT.sub(lambda found: words.get(found[1], found[0]), token) for token in tokens]
    for place in range(len(filled) - 1):
        if tokens[place] in _LEADS:
            filled[place] = _lead(tokens[place], determiner, filled[place + 1])
    return " ".join(filled)


# The words of a slot: written out, or bundled lists by name.

_REFERENCE = re.compile(r"[a-z0-9-]+/[a-z0-9.-]+")
_KEYS = ("words", "groups", "kinds", "bare", "proper", "repeats")
LONGEST_WORD = 200


@dataclass(frozen=True, kw_only=True)
class Fillers:
    """The words that fill the subject on one side, and how they are written.

    A ``bare`` word takes no determiner (a name, a pronoun); where the words are ``proper`` each
    is capitalised; with ``repeats``, a word may occur twice.
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


# Activities of the subjects: which words of the shared slots go together.

MOST_CONTEXTS = 200_000
Rule = Mapping[str, tuple[str, ...]]


def bundled_pairings() -> list[str]:
    """The names of the bundled activities: ways to pair the verbs with the objects."""
    folder = files("unslant.probes.nli") / "data" / "activities"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir())


def pairing(name: str) -> tuple[Rule, ...]:
    """The rules of the bundled activities of that name."""
    if name not in bundled_pairings():
        raise UnknownNameError("pairing of verbs with objects", name, bundled_pairings())
    return _bundled(name)


@cache
def _bundled(name: str) -> tuple[Rule, ...]:
    path = files("unslant.probes.nli") / "data" / "activities" / f"{name}.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return rules_from(table["activities"], Where(name))


def rules_from(value: object, where: Where) -> tuple[Rule, ...]:
    """The rules of a template: bundled ones by name, or tables of words for each slot."""
    if isinstance(value, str):
        try:
            return pairing(value)
        except UnknownNameError as error:
            raise TemplateError(f"{where}: {error}") from error
    if not isinstance(value, list) or not all(isinstance(rule, dict) for rule in value):
        raise TemplateError(
            f"{where}: activities must be the name of bundled ones "
            f"({', '.join(bundled_pairings())}), or [[activities]] tables of words for each slot."
        )
    rules: list[dict[str, Any]] = value
    return tuple(
        {slot: words_from(words, where / n / slot) for slot, words in rule.items()}
        for n, rule in enumerate(rules)
    )


def expanded(
    rules: Sequence[Rule], slots: tuple[str, ...], where: str
) -> tuple[tuple[str, ...], ...]:
    """Every combination of the words of each rule, rule by rule; each one once, the first kept.

    >>> expanded([{"verb": ("ate", "saw"), "object": ("pie",)}], ("verb", "object"), "mine")
    (('ate', 'pie'), ('saw', 'pie'))
    """
    for number, rule in enumerate(rules, 1):
        for slot in rule:
            if not slots:
                raise TemplateError(
                    f"{where} activities {number} has words for {slot}, but the sentence has no "
                    f"slot besides the subject. Add {{{slot}}} to the sentence."
                )
            if slot not in slots:
                known = UnknownNameError("slot of the sentence", slot, slots)
                raise TemplateError(f"{where} activities {number}: {known}")
        if missing := [slot for slot in slots if slot not in rule]:
            raise TemplateError(
                f"{where} activities {number} has no words for the slot {{{missing[0]}}} of the "
                f"sentence. Add {missing[0]} = […]."
            )
    if not slots:
        return ((),)
    if not rules:
        raise TemplateError(
            f"{where} has no activities, but its sentence has the slot {{{slots[0]}}}. Add "
            f"[[activities]] with {slots[0]} = […]."
        )
    total = sum(math.prod(len(rule[slot]) for slot in slots) for rule in rules)
    if total > MOST_CONTEXTS:
        raise TemplateError(
            f"{where}: the activities make {total:,} sentences for each subject, more than "
            f"{MOST_CONTEXTS:,}. Shorten the lists."
        )
    combinations = (words for rule in rules for words in product(*(rule[slot] for slot in slots)))
    return tuple(dict.fromkeys(combinations))
