"""The concepts that a page may choose from: the bundled ones and those of files given."""

from collections.abc import Sequence
from typing import Any

from unslant.concepts import Concept, WordList, bundled_concepts, concept
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.studies.audit_jobs import Job, jobs_of


class Concepts:
    """Concepts by id; a request names an id, never a path."""

    def __init__(self, files: Sequence[str] = ()) -> None:
        self._own = {f"own-{number}": concept(path) for number, path in enumerate(files, 1)}
        self._bundled = bundled_concepts()

    @property
    def first(self) -> str:
        """The initial choice: the first of the user's own, or gender."""
        return next(iter(self._own), "gender")

    def listed(self) -> list[dict[str, Any]]:
        """The available choices, with initial words for the page's groups."""
        return [
            {
                "id": id,
                "title": found.title,
                "name": found.name,
                "tests": list(found.tests),
                "groups": {name: list(item.all_words)[:12] for name, item in found.members.items()},
                "neutral": _spread(next(iter(found.neutral.values()), None)),
            }
            for id, found in ((id, self[id]) for id in (*self._own, *self._bundled))
        ]

    def __getitem__(self, id: str) -> Concept:
        if id in self._own:
            return self._own[id]
        if id not in self._bundled:
            raise UnknownNameError("concept", id, (*self._own, *self._bundled))
        return concept(id)


def _spread(words: WordList | None) -> list[str]:
    """A dozen words of a list from its beginning to its end: lists are in the alphabet's order."""
    every = list(words.all_words) if words else []
    return every[:: max(1, len(every) // 12)][:12]


def quick_jobs(chosen: Concept, *, refitted: bool = False) -> list[Job]:
    """The part of an audit that is drawn at once; of several neutral lists, the first."""
    first = next(iter(chosen.neutral), "")
    return [
        job
        for job in jobs_of(chosen, quality=False, refitted=refitted)
        if job[0].name == "weat" or dict(job[0].kwargs).get("neutral") == first
    ]


def some_of(jobs: list[Job], chosen: Concept) -> list[Job]:
    """The jobs, of which there must be one."""
    if not jobs:
        raise UnslantError(
            f'The concept "{chosen.name}" has neither tests nor neutral words, so nothing is '
            f"drawn. Add [tests] or [neutral] to its file."
        )
    return jobs
