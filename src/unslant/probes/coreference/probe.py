"""What every probe of coreference can do beside ``run``: read models, read answers, write texts."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.record import LeftOut, Subject
from unslant.core.references import reference
from unslant.models.language import load_model
from unslant.predictors.cluster_answers import ClusterAnswers
from unslant.predictors.coreference import Coreference

Row = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TextSet:
    """The texts of a probe of coreference: a row for each, under named columns, ``words`` first."""

    name: str
    title: str
    about: str
    columns: Row
    rows: tuple[Row, ...]
    cites: tuple[str, ...]
    items: Any
    """What the probe scores: one object for each item, in the order of the rows or their pairs."""
    facts: Mapping[str, str | int]
    left_out: tuple[LeftOut, ...] = ()
    groups: tuple[str, ...] = ("female", "male")
    concept: str = "gender"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def content_hash(self) -> str:
        """A hash of the texts and of how each is labelled."""
        text = "\n".join("\t".join(row) for row in (self.columns, *self.rows))
        return hashlib.sha256(text.encode()).hexdigest()

    def subject(self) -> Subject:
        """What a record says of it."""
        return Subject(
            kind="set",
            name=self.name,
            title=self.title,
            about=self.about,
            groups=self.groups,
            references=tuple(map(reference, self.cites)),
            sha256=self.content_hash,
            facts={"texts": len(self), "concept": self.concept, **self.facts},
        )


class CoreferenceProbe:
    """Reads folders of models and files of clusters, and exports its texts."""

    def loaded(self, path: Path) -> Any:
        """The model in a folder."""
        return load_model(path).predictor(Coreference)

    def answered(self, path: Path) -> Any:
        """Clusters that were made elsewhere."""
        return ClusterAnswers(path)

    def exported(self, questions: TextSet) -> tuple[Row, int, Iterator[Row]]:
        """One row for each text."""
        return questions.columns, len(questions), iter(questions.rows)


def spans_text(spans: Sequence[tuple[int, int]]) -> str:
    """Spans as text, for the columns of an export."""
    return " ".join(f"{first}-{end}" for first, end in spans)
