"""What “unslant study 1” records say of their study."""

from collections.abc import Mapping
from typing import Any

from unslant.core.older_records.parts import id_of
from unslant.core.plain import from_plain
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
