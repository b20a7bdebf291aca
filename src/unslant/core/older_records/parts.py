"""What the older kinds of records have in common."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from unslant.core.measurement import Measurement, WordUse
from unslant.core.record import (
    Fact,
    LeftOut,
    Meaning,
    Moved,
    MovementFacts,
    Resource,
    Role,
    StageFacts,
    Treatment,
)
from unslant.core.score import Drawing

Plain = Mapping[str, Any]

_RANDOM_LISTS = re.compile(r"share of [\d,]+ random attribute lists with less")
_ROLES: Mapping[str, Role] = {
    "test": "test",
    "concept": "concept",
    "vectors": "quality",
    "probe": "probe",
}
_DRAWN = {
    "direct-bias": (
        Drawing(
            kind="plane",
            x="second-cosine",
            y="first-cosine",
            unit="mean cosine",
            sides=("first-side", "second-side"),
            words=("words-of-the-first-side", "words-of-the-second-side"),
        ),
        Drawing(
            kind="axis",
            x="projection",
            sides=("positive-side", "negative-side"),
            along="direction",
        ),
    ),
    "clustering": (
        Drawing(
            kind="clusters",
            x="x",
            y="y",
            group="side",
            cluster="cluster",
            unit="accuracy",
            facts=("V-measure",),
        ),
    ),
}
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


def facts_of(plain: Plain, before: str = "") -> dict[str, Fact]:
    """Facts of any shape in one level: lists as texts, the keys of objects joined."""
    found: dict[str, Fact] = {}
    for key, value in plain.items():
        name = f"{before}{id_of(str(key)).replace('_', '-')}"
        if isinstance(value, Mapping):
            found |= facts_of(value, f"{name}-")
        elif isinstance(value, list):
            found[name] = tuple(map(str, value))
        else:
            found[name] = value
    return found


def vectors_of(plain: Plain | None) -> Resource | None:
    """The vectors that were measured."""
    if plain is None:
        return None
    described = {key: plain[key] for key in ("words", "dim", "zero_vectors") if key in plain}
    return Resource(
        name=plain["name"],
        kind="vectors",
        sha256=plain["content_sha256"],
        facts=facts_of(described) | facts_of(plain.get("origin", {})),
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
        movement=_movement(plain["movement"]) if plain.get("movement") else None,
        is_retrained=is_retrained,
        eraser_sha256=plain.get("eraser_sha256", ""),
    )


def _stage(plain: Plain) -> StageFacts:
    return StageFacts(
        expression=plain["expression"],
        cites=plain.get("cites", ""),
        reference=plain.get("reference", ""),
        guarantees=tuple(plain.get("guarantees", ())),
        inputs=plain["inputs"],
        parameters=facts_of(plain["parameters"]),
        details=_with_ids(plain["details"]),
        words=words_of(plain["words"]),
        warnings=tuple(plain["warnings"]),
        seed=plain.get("seed"),
        version=plain.get("version", ""),
    )


def _movement(plain: Plain) -> MovementFacts:
    moved = tuple(Moved(word=item["word"], degrees=item["degrees"]) for item in plain["moved_most"])
    return MovementFacts(**{**plain, "moved_most": moved})


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
            summary=facts["summary"],
            role=_ROLES[facts["takes"]],
            better=facts["better"],
            range=facts["range"],
            misleads=facts["misleads"],
            cites=facts["cites"],
            reference=facts["reference"],
            short=facts.get("short", ""),
            is_contrast=name == "weat",
            drawn=_DRAWN.get(name, ()),
        )
        for name, facts in plain.items()
    }
