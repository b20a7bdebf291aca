"""The server's inputs, by kind: vectors, models, records and studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from unslant.concepts import Concept, WordList, bundled_concepts, concept
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.models.language.folder import is_model_folder
from unslant.models.language.model import load_model
from unslant.studies.audit_jobs import Job, jobs_of
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record

DROPPED = "x1"
"""The id of a record that was dropped onto the page."""


@dataclass(frozen=True, kw_only=True)
class Given:
    """Paths of vector files and models, records by id, and the stores of studies by the same id.

    ``names`` are those of records whose path says nothing.
    """

    vectors: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    records: Mapping[str, Path] = field(default_factory=dict)
    studies: Mapping[str, Store] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def listed(self) -> list[dict[str, str]]:
        """Every study and record, without reading them."""
        studies = ((id, store.folder.resolve().name) for id, store in self.studies.items())
        records = ((id, self.names.get(id, path.name)) for id, path in self.records.items())
        return [
            *({"id": id, "name": name, "kind": "study"} for id, name in studies),
            *({"id": id, "name": name, "kind": "record"} for id, name in records),
        ]

    def with_dropped(self, path: Path, name: str) -> "Given":
        """The same with a record that was dropped onto the page, in place of the one before."""
        return replace(
            self, records={**self.records, DROPPED: path}, names={**self.names, DROPPED: name}
        )

    def stamp(self, id: str) -> int:
        """A number that changes when the record or a cell of the study was written again."""
        path = self.records.get(id)
        if path is None:
            folder = self.studies[id].folder
            paths = [folder, *folder.glob("*"), *folder.glob("*/*")]
        else:
            paths = [path]
        return max((_written_at(item) for item in paths), default=0)

    def record(self, id: str, progress: Any = None) -> Record:
        """The record of that id; that of a study is made from its folder as it is now."""
        if id in self.studies:
            return study_record(self.studies[id].folder, progress=progress)
        return read_record(self.records[id])

    def cell(self, study: str, cell: str) -> dict[str, Any] | None:
        """The full record of a cell of a study, if the study's index has it."""
        store = self.studies.get(study)
        if store is None or cell not in {entry.id for entry in store.index() if entry.id}:
            return None
        return store.read(cell)


def _written_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # it is gone; reading it reports so
        return 0


def sorted_out(paths: Sequence[str]) -> Given:
    """Sort paths by kind: a folder is a model or a study, a .json file a record, else vectors."""
    vectors: list[str] = []
    models: list[str] = []
    records: dict[str, Path] = {}
    studies: dict[str, Store] = {}
    for text in paths:
        path = Path(text)
        if is_model_folder(path):
            load_model(path)  # of which only headers are read, and checked
            models.append(text)
        elif path.is_dir():
            store = Store(path)
            store.facts()  # which says so where there is no study in the folder
            studies[f"s{len(studies) + 1}"] = store
        elif path.suffix == ".json":
            read_record(path)
            records[f"r{len(records) + 1}"] = path
        elif not path.exists():
            raise UnslantError(f"{path} does not exist. Name vectors, models, records or a study.")
        else:
            vectors.append(text)
    return Given(vectors=tuple(vectors), models=tuple(models), records=records, studies=studies)


# The concepts that a page may choose from: the bundled ones and those of files given.


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
