"""Studies as “unslant study 1” wrote them."""

from collections.abc import Mapping
from typing import Any

from unslant.core.older_records.parts import glossary_of, id_of, left_out_of
from unslant.core.plain import from_plain
from unslant.core.record import Record, Subject
from unslant.core.study_record import StudyPart

_OF_SUBJECT = ("name", "about", "sha256")
_SAID = ("is_complete", "says")


def study_part(plain: Mapping[str, Any]) -> StudyPart:
    """The study part: the same fields, but for those that follow from others."""
    kept = ("table", "correlations", "front", "word_sets", "failures")
    return from_plain(
        StudyPart,
        {
            **{name: plain[name] for name in kept},
            "plan": _without(plain["plan"], _OF_SUBJECT),
            "status": _without(plain["status"], _SAID),
            "cells": [
                cell | {"details": {id_of(name): value for name, value in cell["details"].items()}}
                for cell in plain["cells"]
            ],
        },
    )


def _without(plain: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in plain.items() if name not in names}


def study_record(plain: Mapping[str, Any]) -> Record:
    """The record of a study."""
    plan = plain["plan"]
    return Record(
        about="study",
        subject=Subject(
            kind="plan",
            name=plan["name"],
            title=plan["name"],
            about=plan["about"],
            sha256=plan["sha256"],
            definition=plain.get("concepts") or None,
        ),
        left_out=left_out_of(plain["left_out"]),
        glossary=glossary_of(plain["measures"]),
        study=study_part(plain),
        provenance=plain["provenance"],
    )
