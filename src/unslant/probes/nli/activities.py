"""What the subjects do: which words of the shared slots go together."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from unslant.core.errors import UnknownNameError
from unslant.core.toml_source import Where
from unslant.probes.nli.fillers import words_from
from unslant.probes.nli.sentences import TemplateError

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
