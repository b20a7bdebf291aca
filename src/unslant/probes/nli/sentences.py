"""Sentences with slots, and the rule for "a" and "an"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unslant.core.errors import UnslantError
from unslant.predictors.protocols import Context
from unslant.probes.nli.export import COLUMNS

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
        """What stands before and after the phrase with these words in the other slots."""
        before = _filled(self.before, words, determiner)
        return Context(capitalised(before), _filled(self.after, words, determiner))


def sentence_from(text: str) -> Sentence:
    """Read a sentence such as "{determiner} {subject} {verb} {article} {object} ."."""
    tokens = text.split()
    names = _SLOT.findall(text)
    if "{" in _SLOT.sub("", text) or "}" in _SLOT.sub("", text):
        raise TemplateError(f'The sentence "{text}" has a brace without its partner.')
    for name in names:
        # An export has a column for each slot beside its own.
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
