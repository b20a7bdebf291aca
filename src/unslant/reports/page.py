"""A record as one self-contained page: no request, every word escaped."""

from collections.abc import Callable, Mapping

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.reports.kinds import AUDIT, PROBE, STUDY
from unslant.reports.words import Record


def page(record: Record, progress: Progress | None = None) -> str:
    """The HTML of an audit, a probe or a study, by what the record says it is."""
    from unslant.reports.html.audit import audit_page
    from unslant.reports.html.probe import probe_page
    from unslant.reports.html.study import study_page

    pages: Mapping[str, Callable[[Record, Progress | None], str]] = {
        AUDIT: audit_page,
        PROBE: probe_page,
        STUDY: study_page,
    }
    kind = str(record.get("kind"))
    if kind not in pages:
        raise UnslantError(
            f'There is no report of a record of the kind "{kind}". Known kinds: {", ".join(pages)}.'
        )
    return pages[kind](record, progress)
