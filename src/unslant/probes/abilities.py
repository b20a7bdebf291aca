"""Optional abilities of a probe in addition to ``run``, each recognised by its method.

A probe without any of these runs on a model supplied by the user, or on a file of answers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from unslant.concepts import WordPolicy
from unslant.core.files import Progress
from unslant.core.record import LeftOut, Subject
from unslant.predictors.protocols import Reader
from unslant.vectors import WordVectors


class Questions(Protocol):
    """A probe's test set; ``concept`` is the default concept for debiasing."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def concept(self) -> str:
        """The concept it is about, or the empty text."""

    @property
    def content_hash(self) -> str:
        """A hash of all that determines the texts and how they are scored."""

    def subject(self) -> Subject:
        """Its entry in a record."""


@runtime_checkable
class AsksSet(Protocol):
    """It has a set, which is given to ``run`` as the subject."""

    def questions(self) -> Any:
        """The set, with the attributes of :class:`Questions`."""


@runtime_checkable
class ListsSets(Protocol):
    """It has several sets to choose from."""

    def sets(self) -> Iterable[Any]:
        """All of them, as :class:`Questions` with a length."""


@runtime_checkable
class KnowsWords(Protocol):
    """It can leave out what vectors have no words for."""

    def known(self, questions: Any, vectors: WordVectors, policy: WordPolicy) -> Any:
        """The set without words that are missing from the vectors."""


@runtime_checkable
class BoundsSet(Protocol):
    """It can sample its questions for a model that reads each one separately."""

    def subsample(self, questions: Any, predictor: Any) -> Any:
        """The set, or a sample of it that the model answers in minutes."""


@runtime_checkable
class HasDefault(Protocol):
    """It has a model of its own for when neither a model nor vectors are given."""

    def default(self) -> Any:
        """The predictor that answers."""


@runtime_checkable
class ReadsVectors(Protocol):
    """It can be put to word vectors, so that debiasing them shows."""

    def reader(self) -> Reader:
        """The model that reads vectors."""


@runtime_checkable
class LoadsModel(Protocol):
    """It can read its model from a file."""

    def loaded(self, path: Path) -> Reader:
        """The model in the file."""


@runtime_checkable
class KnowsFolders(Protocol):
    """It reads folders of models that no other measure knows, with its method ``loaded``."""

    def knows(self, path: str | Path) -> bool:
        """Whether a path is such a folder."""


@runtime_checkable
class ReadsAnswers(Protocol):
    """It reads files of answers in a format of its own."""

    def answered(self, path: Path) -> Any:
        """The answers in the file, or None if the file is not in that format."""


class Trainer(Protocol):
    """Trains a model for each space."""

    @property
    def skipped(self) -> int:
        """How many malformed lines of the data were left out."""

    def model(self, vectors: WordVectors, progress: Progress | None = None) -> Reader:
        """The model for these vectors."""


@runtime_checkable
class Retrains(Protocol):
    """It can retrain its model for each space."""

    def retraining(
        self, folder: Path, *, seed: int, skip_bad: bool, progress: Progress | None
    ) -> Trainer:
        """How to train, on the data in a folder."""

    def training_files(self, folder: Path) -> Mapping[str, Sequence[Path]]:
        """The files in the folder that the model depends on, by what they are for."""


@runtime_checkable
class NamesScores(Protocol):
    """It knows before it is run which scores a set will have."""

    def score_names(self, questions: Any) -> Sequence[str]:
        """The names of the measurements."""


@runtime_checkable
class Remarks(Protocol):
    """It has warnings about a model on these vectors."""

    def remarks(
        self, questions: Any, vectors: WordVectors, reader: object
    ) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
        """Warnings, and what was left out."""


@runtime_checkable
class Exports(Protocol):
    """It writes more columns than the texts alone."""

    def exported(self, questions: Any) -> tuple[tuple[str, ...], int, Iterator[tuple[str, ...]]]:
        """The columns, the number of rows and the rows."""
