"""The rows of a study's folder."""

from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.studies.answers.rows import Row, rows_of
from unslant.studies.run.store import Store


def stored_rows(store: Store, progress: Progress | None = None) -> list[Row]:
    """Every planned cell of the study in the plan's order: done, failed or missing.

    A file whose seal does not hold counts as not done, as it does for a run.
    """
    store.facts()  # a folder without a study says so
    entries, failed = store.index(), store.failures()
    results: list[dict[str, Any]] = []
    failures: dict[tuple[str | int, ...], str] = {}
    for number, entry in enumerate(entries, 1):
        if progress:
            progress("Reading cells", number, len(entries))
        try:
            # Cells with equal inputs share a file, which knows the label of one of them only.
            results.append({**store.read(entry.id), "label": entry.label})
        except UnslantError:
            if entry.problem or entry.id in failed:
                failures[entry.label] = entry.problem or failed[entry.id].message
    labels = [entry.label for entry in entries] or [cell.label for cell in store.plan().cells]
    return rows_of(results, planned=labels, failures=failures)
