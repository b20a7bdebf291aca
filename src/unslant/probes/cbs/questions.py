"""What CBS asks: groups and attributes in sentences."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.core.errors import UnknownNameError
from unslant.core.record import Subject
from unslant.core.references import reference

_ATTRIBUTES = "attributes"


@dataclass(frozen=True, kw_only=True)
class CbsQuestions:
    """Groups, sentences, attributes that stereotypes attach to groups, and neutral ones."""

    name: str
    title: str
    concept: str
    templates: tuple[str, ...]
    groups: tuple[str, ...]
    loaded: tuple[str, ...]
    neutral: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.templates) * len(self.groups) * len(self.attributes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute, the neutral ones last."""
        return (*self.loaded, *self.neutral)

    @property
    def content_hash(self) -> str:
        """A hash of the words and the sentences."""
        lines = (*self.templates, "", *self.groups, "", *self.loaded, "", *self.neutral)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def subject(self) -> Subject:
        """What a record says of it."""
        return Subject(
            kind="set",
            name=self.name,
            title=self.title,
            about="How unevenly do attributes go with groups of people?",
            groups=self.groups,
            references=(reference("ahn-oh-2021"),),
            sha256=self.content_hash,
            facts={"texts": len(self)},
        )


@cache
def _data() -> Mapping[str, Any]:
    path = files("unslant.probes.cbs") / "data" / "sets.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def cbs_sets() -> tuple[str, ...]:
    """The names of the bundled sets."""
    return tuple(name for name in _data() if name != _ATTRIBUTES)


def cbs_questions(name: str) -> CbsQuestions:
    """The set called ``name``."""
    if name not in cbs_sets():
        raise UnknownNameError("set of groups", name, cbs_sets())
    table, shared = _data()[name], _data()[_ATTRIBUTES]
    return CbsQuestions(
        name=name,
        title=table["title"],
        concept=table["concept"],
        templates=tuple(table["templates"]),
        groups=tuple(table["groups"]),
        loaded=tuple(shared["loaded"]),
        neutral=tuple(shared["neutral"]),
    )
