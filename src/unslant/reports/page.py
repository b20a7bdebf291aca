"""A record as one self-contained page: no request, every word escaped."""

from unslant.core.files import Progress
from unslant.core.record import Record


def page(record: Record, progress: Progress | None = None) -> str:
    """The HTML of a record, whatever it is about."""
    from unslant.reports.html.record import record_page
    from unslant.reports.html.study import study_page

    if record.about == "study":
        return study_page(record, progress)
    return record_page(record, progress)
