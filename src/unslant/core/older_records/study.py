"""Studies as “unslant study 1” wrote them."""

from collections.abc import Mapping
from typing import Any

from unslant.core.older_records.parts import glossary_of, left_out_of
from unslant.core.older_records.study_part import study_part
from unslant.core.record import Record, Subject


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
