"""Test sets from TOML: a checked template file, and the pairs it describes."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.concepts import bundled_concepts
from unslant.concepts import concept as concept_called
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.toml_source import TomlSource, Where
from unslant.predictors.protocols import PairGrid
from unslant.probes.nli.pairset import FAMILIES, PairSet
from unslant.probes.nli.sentences import (
    DETERMINERS,
    Fillers,
    Rule,
    Sentence,
    TemplateError,
    capitalised,
    expanded,
    fillers_from,
    rules_from,
    sentence_from,
)
from unslant.probes.nli.subsets import drawn, sample_name

MOST_PAIRS = 20_000_000
_TEXTS = ("name", "title", "about", "concept", "family", "sentence", "determiner")
_KEYS = {*_TEXTS, "cites", "activities", "premise", "hypothesis", "same_word"}
_NEEDED = ("name", "sentence", "premise", "hypothesis")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


@dataclass(frozen=True, kw_only=True)
class Template:
    """A test set before it is expanded.

    ``where`` is what errors call it (a file by its path), ``made_from`` what its record holds.
    """

    name: str
    sentence: Sentence
    premise: Fillers
    hypothesis: Fillers
    rules: Sequence[Rule] = ()
    title: str = ""
    about: str = ""
    concept: str = ""
    cites: tuple[str, ...] = ()
    family: str = "neutrality"
    determiner: str = "The"
    same_word: bool = True
    where: str = ""
    made_from: Mapping[str, Any] = field(default_factory=dict)


def parse_template(content: str, where: str, folder: Path | None = None) -> Template:
    """The template that a TOML text describes, checked; ``where`` is named in errors.

    A concept that is a file is looked for in ``folder``, the one in which the template lies.
    """
    source = TomlSource(where, folder or Path(), content, TemplateError)
    table, place = source.table, source.where
    _check_keys(table, place)
    try:
        sentence = sentence_from(table["sentence"])
    except TemplateError as error:
        raise TemplateError(f"{place / 'sentence'}: {error}") from error
    return Template(
        name=table["name"],
        sentence=sentence,
        premise=fillers_from(table["premise"], place / "premise"),
        hypothesis=fillers_from(table["hypothesis"], place / "hypothesis"),
        rules=rules_from(table.get("activities", []), place / "activities"),
        title=table.get("title", table["name"]),
        about=" ".join(table.get("about", "").split()),
        concept=_concept(table.get("concept", ""), place / "concept", folder),
        cites=tuple(table.get("cites", [])),
        family=table.get("family", "neutrality"),
        determiner=table.get("determiner", "The"),
        same_word=table.get("same_word", True),
        where=where,
        made_from={
            "template": {
                "text": content,
                "sha256": hashlib.sha256(content.encode()).hexdigest(),
            }
        },
    )


def expand(template: Template, *, contexts: int | None = None, seed: int = 0) -> PairSet:
    """The pairs of a template, as a grid that is never written out.

    With ``contexts``, only that many activities, drawn with ``seed``.
    """
    where, sentence = template.where or template.name, template.sentence
    determiner = template.determiner.capitalize()
    if template.family not in FAMILIES:
        raise TemplateError(f"{where}: {UnknownNameError('family', template.family, FAMILIES)}")
    if determiner not in DETERMINERS:
        raise TemplateError(
            f'{where}: the determiner must be "The" or "A", not "{template.determiner}".'
        )
    _check_groups(template, where)
    activities, name = expanded(template.rules, sentence.slots, where), template.name
    if contexts is not None:
        places = drawn(len(activities), contexts, seed, where)
        activities, name = tuple(activities[n] for n in places), sample_name(name, contexts, seed)
    sides = (template.premise, template.hypothesis)
    total = len(activities) * len(sides[0].words) * len(sides[1].words)
    if total > MOST_PAIRS:
        raise TemplateError(
            f"{where} makes {total:,} pairs, more than {MOST_PAIRS:,}. Shorten the lists, or "
            f"ask for a sample of its contexts."
        )
    premises, hypotheses = (_phrases(side, sentence, determiner) for side in sides)
    shared = tuple(
        sentence.context(dict(zip(sentence.slots, words, strict=True)), determiner=determiner)
        for words in activities
    )
    return PairSet(
        name=name,
        title=template.title or template.name,
        about=template.about,
        concept=template.concept,
        cites=template.cites,
        family=template.family,
        grid=PairGrid(premises, hypotheses, shared),
        premise_words=template.premise.words,
        hypothesis_words=template.hypothesis.words,
        context_words=activities,
        context_slots=sentence.slots,
        premise_groups=_places(template.premise.groups, template.premise.words),
        hypothesis_groups=_places(template.hypothesis.groups, template.hypothesis.words),
        kinds=_places(template.hypothesis.kinds, template.hypothesis.words),
        same_word=template.same_word,
        made_from=template.made_from,
    )


def _concept(name: str, where: Where, folder: Path | None) -> str:
    """The concept by its bundled name or the path of its file, which is read to check it."""
    if not name or name in bundled_concepts():
        return name
    path = str((folder or Path()) / name)
    try:
        concept_called(path if name.endswith(".toml") else name)
    except UnslantError as error:
        raise TemplateError(f"{where}: {error}") from error
    return path


def _check_keys(table: Mapping[str, Any], where: Where) -> None:
    for key in table:
        if key not in _KEYS:
            raise TemplateError(
                f"{where / key}: {UnknownNameError('key of a template', key, _KEYS)}"
            )
    for key in _NEEDED:
        if key not in table:
            raise TemplateError(f'{where} has no "{key}". A template needs {", ".join(_NEEDED)}.')
    for key in _TEXTS:
        if not isinstance(table.get(key, ""), str):
            raise TemplateError(f'{where / key}: "{key}" must be a string, as in {key} = "…".')
    if not _NAME.fullmatch(table["name"]):
        raise TemplateError(
            f'{where / "name"}: the name "{table["name"]}" must be of small letters, digits '
            f"and hyphens."
        )
    cites = table.get("cites", [])
    if not isinstance(cites, list) or not all(isinstance(item, str) for item in cites):
        raise TemplateError(
            f'{where / "cites"}: cites must be an array of texts, as in ["dev-2020"].'
        )
    if not isinstance(table.get("same_word", True), bool):
        raise TemplateError(f"{where / 'same_word'}: same_word must be true or false.")


def _check_groups(template: Template, where: str) -> None:
    first, second = template.premise.groups, template.hypothesis.groups
    if template.premise.kinds:
        raise TemplateError(f"{where}: kinds belong to the hypothesis, not the premise.")
    if template.family == "marked" and len(second) < 2:
        raise TemplateError(
            f'{where} is of the family "marked", which compares groups. Give the '
            f"hypothesis at least two."
        )
    if template.family == "retention" and (len(first) < 2 or set(first) != set(second)):
        raise TemplateError(
            f'{where} is of the family "retention", which needs at least two groups, the '
            f"same on both sides. The premise has {', '.join(first) or 'none'}; the hypothesis "
            f"has {', '.join(second) or 'none'}."
        )


def _phrases(side: Fillers, sentence: Sentence, determiner: str) -> tuple[str, ...]:
    return tuple(
        sentence.filler(
            capitalised(word) if side.proper else word,
            determiner=determiner,
            is_bare=word in side.bare,
        )
        for word in side.words
    )


def _places(
    parts: Mapping[str, tuple[str, ...]], words: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    return {
        name: tuple(place for place, word in enumerate(words) if word in part)
        for name, part in parts.items()
    }
