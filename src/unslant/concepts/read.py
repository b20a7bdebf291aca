"""Concepts from TOML, the bundled ones by name and a user's own by path, and as plain values."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from unslant.concepts.concept import AssociationTest, Concept, Lists
from unslant.concepts.languages import weathub_code, weathub_names, weathub_table
from unslant.concepts.templates import TEMPLATE_KEYS, Templates, templates_from
from unslant.concepts.wordlists import Source, WordList, list_from, wordlist
from unslant.core.errors import ConceptError, UnknownNameError, UnslantError
from unslant.core.toml_source import TomlSource, Where, read_toml

_TEXTS = ("name", "title", "version", "about")

_SECTIONS = ("words", "names", "sets", "neutral", "specific", "lists")
_ARRAYS = ("groups", "alternatives", "measures", "caveats")
_KEYS = {*_TEXTS, *_SECTIONS, *_ARRAYS, "language", "direction", "tests", "items", *TEMPLATE_KEYS}


def bundled_concepts() -> list[str]:
    """The names of the concepts that come with the package, those of other languages last."""
    folder = files("unslant.concepts") / "data" / "concepts"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir()) + weathub_names()


GivenConcept = Concept | str | Path | Mapping[str, Any]
"""What functions that work on a concept accept: a concept, its name, the path of its file, or its
content as a dict."""

_GROUP_NAMES = "ABCDEFGH"
_OWN = "own"
"""The name of a concept that is given as lists of words."""


def concept(given: GivenConcept | Sequence[str], *more: Sequence[str]) -> Concept:
    """The concept with that name, in any case, or the one in the TOML file at that path.

    A dict is either the content of such a file, or the words of each group; lists are the words
    of one group each.

    >>> concept("Gender").groups
    ('female', 'male')
    >>> concept({"cat": ["cat", "kitten"], "dog": ["dog", "puppy"]}).groups
    ('cat', 'dog')
    >>> concept(["cat", "kitten"], ["dog", "puppy"]).direction
    'two-means(words)'
    """
    if isinstance(given, Concept):
        return given
    if isinstance(given, Mapping):
        table = dict(given) if _KEYS & set(given) else _of_groups(given)
        return concept_from_table({"name": _OWN, **table}, "The concept")
    if isinstance(given, list | tuple):
        return concept(dict(zip(_GROUP_NAMES, (given, *more), strict=False)))
    if not isinstance(given, str | Path):
        raise ConceptError(
            f"Expected a concept (its name, the path of a TOML file, a dict or us.concept(…)), not "
            f"{type(given).__name__}. Check the order: vectors come before the concept."
        )
    text = str(given)
    if text.lower() in bundled_concepts():
        return _bundled(text.lower())
    path = Path(given)
    if path.suffix != ".toml":
        raise UnknownNameError("concept", text, bundled_concepts())
    source = read_toml(path, "The concept file", ConceptError)
    return concept_from_table(source.table, source.where)


def _of_groups(words: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a concept of nothing but groups: its direction joins their means."""
    lists = {str(group): list(each) for group, each in words.items() if not isinstance(each, str)}
    if len(lists) < 2 or len(lists) < len(words):
        raise ConceptError(
            'A concept takes the words of at least two groups, as in us.concept({"cat": ["cat", '
            '"kitten"], "dog": ["dog", "puppy"]}). For a test: us.test(targets=…, attributes=…).'
        )
    table: dict[str, Any] = {"groups": list(lists), "words": lists}
    if len(lists) == 2:
        table["direction"] = "two-means(words)"
    return table


@cache
def _bundled(name: str) -> Concept:
    if code := weathub_code(name):
        return concept_from_table(weathub_table(code), name)
    path = files("unslant.concepts") / "data" / "concepts" / f"{name}.toml"
    return parse_concept(path.read_text(encoding="utf-8"), name)


def parse_concept(content: str, where: str) -> Concept:
    """The concept described by a TOML text, checked; errors mention ``where``."""
    source = TomlSource(where, Path(), content, ConceptError)
    return concept_from_table(source.table, source.where)


def concept_from_table(table: Mapping[str, Any], where: Where | str) -> Concept:
    """The concept in the table of a concept file or of a record, checked."""
    where = Where(where) if isinstance(where, str) else where
    for key in table:
        if key not in _KEYS:
            unknown = UnknownNameError("key of a concept", key, _KEYS)
            raise ConceptError(f"{where / key}: {unknown}")
    for key in (*_TEXTS, "language", "direction"):
        if not isinstance(table.get(key, ""), str) or (key == "name" and not table.get(key)):
            raise ConceptError(f'{where / key}: "{key}" must be a string, as in {key} = "…".')
    name = table["name"]
    source = Source(key=name, title=f"the concept file {name}")
    sections = {
        section: _section(table.get(section, {}), where / section, source) for section in _SECTIONS
    }
    texts = {key: _strings(table.get(key, []), where / key) for key in _ARRAYS}
    groups = texts["groups"]
    for section in ("words", "names"):
        for group in sections[section]:
            if group not in groups:
                unknown = UnknownNameError("group", group, groups)
                raise ConceptError(f"{where / section / group}: {unknown}")
    for key, item in sections["sets"].items():
        if len(item.columns) < 2:
            place = where / "sets" / key
            raise ConceptError(f'{place}: "{key}" must be a table with at least two columns.')
    templates = templates_from(table, where)
    tests = {
        key: _test(key, name, entry, where / "tests" / key, source, templates)
        for key, entry in _table(table.get("tests", {}), where / "tests").items()
    }
    _refuse_equal_titles(tests, where)
    return Concept(
        name=name,
        title=table.get("title", name),
        version=table.get("version", ""),
        about=" ".join(table.get("about", "").split()),
        content_hash=_hash_of(table, sections, tests),
        language=table.get("language", ""),
        items="words" if templates is None else "sentences",
        direction=table.get("direction"),
        tests=tests,
        groups=groups,
        alternatives=texts["alternatives"],
        measures=texts["measures"],
        caveats=texts["caveats"],
        **sections,
    )


def _table(value: object, where: Where) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ConceptError(f'{where}: "{where.key}" must be a table, not {type(value).__name__}.')
    return value


def _strings(value: object, where: Where) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ConceptError(f'{where}: "{where.key}" must be an array of strings, as in ["…", "…"].')
    return tuple(value)


def _section(value: object, where: Where, source: Source) -> dict[str, WordList]:
    entries = _table(value, where)
    return {key: _list(key, entry, where / key, source) for key, entry in entries.items()}


def _list(name: str, value: object, where: Where, source: Source) -> WordList:
    """A list by reference, as an array of words, or as a table with columns and rows."""
    if '"' in name:  # expressions name lists, and quote them with this mark
        raise ConceptError(f"{where}: the name of a list cannot contain a quotation mark.")
    try:
        if isinstance(value, str):
            return wordlist(value)
        if isinstance(value, list):
            return list_from(f"{source.key}/{name}", {"words": value}, source)
        return list_from(f"{source.key}/{name}", _table(value, where), source)
    except (ConceptError, UnknownNameError) as error:
        raise ConceptError(f"{where}: {error}") from error


def _test(
    name: str,
    concept_name: str,
    value: object,
    where: Where,
    source: Source,
    templates: Templates | None,
) -> AssociationTest:
    entry = _table(value, where)
    unknown = set(entry) - {"title", "targets", "attributes"}
    if unknown or "targets" not in entry or "attributes" not in entry:
        raise ConceptError(
            f'{where}: the test "{name}" must have targets and attributes, each a table of named '
            f"word sets, and may have a title. It has: {', '.join(sorted(entry)) or 'nothing'}."
        )
    sets = {
        kind: {
            key: item if templates is None else templates.written_out(item, where / kind / key)
            for key, item in _section(entry[kind], where / kind, source).items()
        }
        for kind in ("targets", "attributes")
    }
    return AssociationTest(
        name=name,
        concept=concept_name,
        title=str(entry.get("title", name)),
        targets=sets["targets"],
        attributes=sets["attributes"],
    )


def _refuse_equal_titles(tests: Mapping[str, AssociationTest], where: Where) -> None:
    """Reports identify tests by their titles."""
    by_title: dict[str, str] = {}
    for key, test in tests.items():
        if test.title in by_title:
            raise ConceptError(
                f'{where / "tests" / key}: the tests "{by_title[test.title]}" and "{key}" have the '
                f'same title, "{test.title}". Give each test its own title.'
            )
        by_title[test.title] = key


def _hash_of(
    table: Mapping[str, Any],
    sections: Mapping[str, Mapping[str, WordList]],
    tests: Mapping[str, AssociationTest],
) -> str:
    """A hash of the words themselves: it changes when a referenced list changes."""

    def plain(lists: Mapping[str, WordList]) -> dict[str, object]:
        return {key: item.sentences or item.rows or item.words for key, item in lists.items()}

    content = {
        "name": table["name"],
        "groups": table.get("groups", []),
        "direction": table.get("direction"),
        "sections": {key: plain(lists) for key, lists in sections.items()},
        "tests": {
            key: [list(plain(test.targets).items()), list(plain(test.attributes).items())]
            for key, test in tests.items()
        },
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def own_definition(subject: Concept | AssociationTest) -> dict[str, Any] | None:
    """The definition of a user's own concept or test; None for a bundled one."""
    name = subject.concept if isinstance(subject, AssociationTest) else subject.name
    if name in bundled_concepts():
        known: Any = concept(name)
        if isinstance(subject, AssociationTest):
            known = known.tests.get(subject.name)
        if known is not None and known.content_hash == subject.content_hash:
            return None
    return definition(subject)


def definition(subject: Concept | AssociationTest) -> dict[str, Any]:
    """The table of a concept file with all its words; referenced lists are written out.

    :func:`concept_from_table` rebuilds the concept; that of a test has only this test.
    """
    if isinstance(subject, AssociationTest):
        items = {"items": subject.items} if subject.items != "words" else {}
        return {"name": subject.concept, **items, "tests": {subject.name: _test_table(subject)}}
    plain: dict[str, Any] = {key: getattr(subject, key) for key in _TEXTS}
    plain |= {key: list(getattr(subject, key)) for key in _ARRAYS}
    if subject.items != "words":
        plain["items"] = subject.items
    if subject.language:
        plain["language"] = subject.language
    if subject.direction is not None:
        plain["direction"] = subject.direction
    plain |= {key: _lists(getattr(subject, key)) for key in _SECTIONS}
    plain["tests"] = {name: _test_table(test) for name, test in subject.tests.items()}
    return plain


def _test_table(test: AssociationTest) -> dict[str, Any]:
    return {
        "title": test.title,
        "targets": _lists(test.targets),
        "attributes": _lists(test.attributes),
    }


def _lists(lists: Lists) -> dict[str, dict[str, Any]]:
    found = {}
    for name, item in lists.items():
        words: dict[str, Any] = {"words": list(item.words)}
        if item.sentences:
            words["sentences"] = [list(part) for part in item.sentences]
        table = {"columns": list(item.columns), "rows": [list(row) for row in item.rows]}
        texts = {"about": item.about, "note": item.note}
        found[name] = (table if item.columns else words) | {k: v for k, v in texts.items() if v}
    return found


# An association test from lists of words given in code.

OWN = "inline"
"""The concept that such a test belongs to, and the key of its source."""
_LETTERS = {"targets": "XYZ", "attributes": "ABC"}

GivenLists = Sequence[Sequence[str]] | Mapping[str, Sequence[str]]


def inline_test(
    targets: GivenLists,
    attributes: GivenLists,
    *,
    name: str = "test",
    title: str = "",
) -> AssociationTest:
    """A test of lists of words: two of targets and two of attributes, or one of either.

    Each side is a sequence of lists, or a mapping from names to lists. A single list may be given
    as it is.

    >>> import unslant as us
    >>> mine = us.test(targets=(["boss", "salary"], ["home", "children"]),
    ...                attributes={"he": ["he", "him"], "she": ["she", "her"]})
    >>> us.measure("weat", us.load(), mine).value > 1
    True
    """
    sides = {"targets": targets, "attributes": attributes}
    lists = {side: _inline_lists(side, given) for side, given in sides.items()}
    if clash := sorted(set(lists["targets"]) & set(lists["attributes"])):
        raise UnslantError(f'"{clash[0]}" is the name of a target list and of an attribute list.')
    named = " and ".join(lists["targets"]), " and ".join(lists["attributes"])
    return AssociationTest(
        name=name, concept=OWN, title=title or f"{named[0]} with {named[1]}", **lists
    )


def _inline_lists(side: str, given: GivenLists) -> Lists:
    if isinstance(given, Mapping):
        named = dict(given)
    elif isinstance(given, Sequence) and not isinstance(given, str):
        is_single = bool(given) and all(isinstance(item, str) for item in given)
        lists: Sequence[Any] = [given] if is_single else given
        named = dict(zip(_LETTERS[side], lists, strict=False))
        if not is_single and len(given) > len(_LETTERS[side]):
            raise UnslantError(f"{side} takes up to three lists; name more of them in a dict.")
    else:
        named = {}
    if not named:
        raise UnslantError(f'{side} takes lists of words, as in {side}=(["…"], ["…"]).')
    return {str(name): _words(side, str(name), words) for name, words in named.items()}


def _words(side: str, name: str, words: object) -> WordList:
    is_list = isinstance(words, Sequence) and not isinstance(words, str)
    if not is_list or not words or not all(isinstance(word, str) and word for word in words):  # type: ignore[attr-defined]
        raise UnslantError(
            f'The list "{name}" of {side} must have words, as in ["he", "him"], not {words!r:.60}.'
        )
    return WordList(name=name, source=Source(key=OWN), words=tuple(words))  # type: ignore[arg-type]
