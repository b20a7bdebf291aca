"""How far a study is: what is done, what failed, what is damaged, what is missing."""

from dataclasses import dataclass

from unslant.core.files import Progress
from unslant.studies.run.store import DAMAGED, DONE, MISSING, Failure, Store


@dataclass(frozen=True, kw_only=True)
class Status:
    """The planned cells, each counted once: done, failed, damaged or missing."""

    plan: str
    planned: int
    done: int
    failed: int
    damaged: int
    missing: int
    failures: tuple[Failure, ...] = ()
    damaged_files: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every planned cell has its result."""
        return self.done == self.planned

    def __str__(self) -> str:
        parts = [f"{self.done:,} of {self.planned:,} cells are done"]
        parts += [
            f"{count:,} {what}"
            for count, what in (
                (self.failed, "failed"),
                (self.damaged, "damaged"),
                (self.missing, "not computed yet"),
            )
            if count
        ]
        return ", ".join(parts) + "."


def status(store: Store, progress: Progress | None = None) -> Status:
    """How far the study in a folder is; only reads, so that it can be asked while a run goes on."""
    facts = store.facts()
    entries = store.index()
    counts = {DONE: 0, DAMAGED: 0, MISSING: 0, "failed": 0}
    failures, damaged = [], []
    failed_before, set_aside = store.failures(), store.damaged()
    for number, entry in enumerate(entries, 1):
        state = store.state(entry.id) if entry.id else "failed"
        if state == DAMAGED:
            damaged.append(str(store.path(entry.id)))
        elif state == MISSING and entry.id in failed_before:
            state = "failed"
        elif state == MISSING and entry.id in set_aside:
            state = DAMAGED
            damaged.append(str(set_aside[entry.id]))
        if state == "failed":
            known = failed_before.get(entry.id)
            failures.append(
                Failure(
                    id=entry.id,
                    label=entry.label,
                    message=known.message if known else entry.problem,
                    kind=known.kind if known else "",
                    trace=known.trace if known else "",
                )
            )
        counts[state] += 1
        if progress:
            progress("Checking", number, len(entries))
    planned = int(facts["cells"])
    return Status(
        plan=str(facts["name"]),
        planned=planned,
        done=counts[DONE],
        failed=counts["failed"],
        damaged=counts[DAMAGED],
        missing=planned - sum(counts[state] for state in (DONE, DAMAGED, "failed")),
        failures=tuple(failures),
        damaged_files=tuple(dict.fromkeys(damaged)),
    )
