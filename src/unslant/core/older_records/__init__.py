"""Readers for the kinds of records that earlier versions wrote."""

from collections.abc import Callable, Mapping
from typing import Any

from unslant.core.older_records.association import association_record
from unslant.core.older_records.audit import audit_record
from unslant.core.older_records.probe import probe_record
from unslant.core.older_records.study import study_record
from unslant.core.record import Record

OLDER: Mapping[str, Callable[[Mapping[str, Any]], Record]] = {
    "unslant audit 2": audit_record,
    "unslant nli probe 1": probe_record,
    "unslant study 1": study_record,
    "unslant association 1": association_record,
}
"""A reader for each kind, as the key ``kind`` of such a record says it."""
