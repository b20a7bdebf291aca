"""A concept as plain values for a record, from which it can be rebuilt."""

from typing import Any

from unslant.concepts.concept import AssociationTest, Concept, Lists
from unslant.concepts.read import bundled_concepts, concept

_SECTIONS = ("words", "names", "sets", "neutral", "specific", "lists")
_TEXTS = ("name", "title", "version", "about")
_ARRAYS = ("groups", "alternatives", "measures", "caveats")


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

    :func:`unslant.concepts.read.concept_from_table` rebuilds the concept; that of a test has
    only this test.
    """
    if isinstance(subject, AssociationTest):
        items = {"items": subject.items} if subject.items != "words" else {}
        return {"name": subject.concept, **items, "tests": {subject.name: _test(subject)}}
    plain: dict[str, Any] = {key: getattr(subject, key) for key in _TEXTS}
    plain |= {key: list(getattr(subject, key)) for key in _ARRAYS}
    if subject.items != "words":
        plain["items"] = subject.items
    if subject.direction is not None:
        plain["direction"] = subject.direction
    plain |= {key: _lists(getattr(subject, key)) for key in _SECTIONS}
    plain["tests"] = {name: _test(test) for name, test in subject.tests.items()}
    return plain


def _test(test: AssociationTest) -> dict[str, Any]:
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
