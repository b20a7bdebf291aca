"""What the older kinds of records have in common."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unslant.core.measurement import Measurement, WordUse
from unslant.core.plain import from_plain
from unslant.core.record import (
    Fact,
    LeftOut,
    Meaning,
    MovementFacts,
    Resource,
    Role,
    StageFacts,
    Treatment,
    flat,
)
from unslant.core.score import CLUSTERS_DRAWN, LEAN_DRAWN

Plain = Mapping[str, Any]

_RANDOM_LISTS = re.compile(r"share of [\d,]+ random attribute lists with less")
_ROLES: Mapping[str, Role] = {
    "test": "test",
    "concept": "concept",
    "vectors": "quality",
    "probe": "probe",
}
_SAID = ("summary", "better", "range", "misleads", "cites", "reference")
_DRAWN = {"direct-bias": LEAN_DRAWN, "clustering": CLUSTERS_DRAWN}
"""Which points made figures; today each measure declares that."""


def id_of(phrase: str) -> str:
    """A key of today from one that was a phrase.

    >>> id_of("first cosine"), id_of("share of 1,000 random attribute lists with less")
    ('first-cosine', 'share-of-random-lists-below')
    """
    if _RANDOM_LISTS.fullmatch(phrase):
        return "share-of-random-lists-below"
    return phrase.replace(" ", "-")


def measurement_of(plain: Plain) -> Measurement:
    """A measurement whose details and points had phrases as keys; those of study cells too."""
    return Measurement.from_dict(
        {
            **plain,
            "details": _with_ids(plain["details"]),
            "points": [_with_ids(point) for point in plain.get("points", ())],
        }
    )


def _with_ids(plain: Plain) -> dict[str, Any]:
    return {id_of(key): value for key, value in plain.items()}


def vectors_of(plain: Plain | None) -> Resource | None:
    """The vectors that were measured."""
    if plain is None:
        return None
    described = {key: plain[key] for key in ("words", "dim", "zero_vectors") if key in plain}
    return Resource(
        name=plain["name"],
        kind="vectors",
        sha256=plain["content_sha256"],
        facts=flat(described) | flat(plain.get("origin", {})),
    )


def treatment_of(
    plain: Plain | None, concept: str, *, is_retrained: bool = False
) -> Treatment | None:
    """What was done to the vectors before they were measured."""
    if plain is None:
        return None
    return Treatment(
        expression=plain["expression"],
        concept=concept,
        definition=plain.get("concept", {}).get("definition"),
        stages=tuple(map(_stage, plain["stages"])),
        movement=from_plain(MovementFacts, plain["movement"]) if plain.get("movement") else None,
        is_retrained=is_retrained,
        eraser_sha256=plain.get("eraser_sha256", ""),
    )


def _stage(plain: Plain) -> StageFacts:
    kept = {**plain, "parameters": {}, "details": _with_ids(plain["details"])}
    return replace(from_plain(StageFacts, kept), parameters=flat(plain["parameters"]))


def words_of(plain: Sequence[Plain]) -> tuple[WordUse, ...]:
    """What became of each set of words."""
    return tuple(map(WordUse.from_dict, plain))


def settings_of(policy: Plain) -> dict[str, Fact]:
    """How missing words and spellings were treated."""
    return {"missing-words": policy["missing"], "spelling": policy["case"]}


def left_out_of(plain: Sequence[Plain]) -> tuple[LeftOut, ...]:
    """What was left out, and why."""
    return tuple(LeftOut(what=item["what"], why=item["why"]) for item in plain)


def glossary_of(plain: Plain) -> dict[str, Meaning]:
    """What each measure means."""
    return {
        name: Meaning(
            role=_ROLES[facts["takes"]],
            short=facts.get("short", ""),
            is_contrast=name == "weat",
            drawn=_DRAWN.get(name, ()),
            **{key: facts[key] for key in _SAID},
        )
        for name, facts in plain.items()
    }
