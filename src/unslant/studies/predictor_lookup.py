"""Resolve the predictor for a probe: a user's model, an answers file, or a model on vectors."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unslant.concepts import WordPolicy
from unslant.core.errors import UnslantError
from unslant.core.expression import Call
from unslant.core.files import Progress
from unslant.core.record import Facts, Resource
from unslant.core.registry import Entry
from unslant.measures.registry import Declared
from unslant.measures.running import run
from unslant.measures.setting import Findings, Setting
from unslant.models.language.base import LanguageModel
from unslant.predictors.answers import AnswersById, ClusterAnswers, GapAnswers, Scores, TagAnswers
from unslant.predictors.protocols import Reader, accepted, has_method, method_of
from unslant.probes.abilities import (
    AsksSet,
    BoundsSet,
    HasDefault,
    KnowsWords,
    LoadsModel,
    ReadsAnswers,
    ReadsVectors,
    Trainer,
)
from unslant.vectors import WordVectors


@dataclass(frozen=True)
class Answering:
    """A predictor, and its entry in a record."""

    predictor: Any
    model: Resource
    reader: Any = None
    vectors: WordVectors | None = None

    @property
    def inputs(self) -> dict[str, str]:
        """The identity of the predictor, for every measurement."""
        identity = {"model": self.model.name}
        if self.model.sha256:
            identity["model_sha256"] = self.model.sha256
        if self.vectors is not None:
            identity |= {"vectors": self.vectors.name, "vectors_sha256": self.vectors.content_hash}
        return identity

    def findings(
        self,
        call: Call,
        asked: Any,
        setting: Setting,
        *,
        parameters: Mapping[str, Any],
        inputs: Mapping[str, str],
    ) -> Findings:
        """The findings from the answers to a set, stamped with the set."""
        if asked is not None:
            parameters = {"subject": asked.name, **parameters}
            inputs = {**inputs, "set": asked.name, "set_sha256": asked.content_hash}
        return run(call, self.predictor, asked, setting, parameters=parameters, inputs=inputs)


@dataclass(frozen=True, kw_only=True)
class Asker:
    """Finds the predictor of each space; without vectors there is one for all."""

    predictor: Any = None
    reader: Reader | None = None
    trainer: Trainer | None = None

    @property
    def reads_vectors(self) -> bool:
        """Whether the answers depend on the vectors."""
        return self.predictor is None

    @property
    def is_retrained(self) -> bool:
        """Whether each space has a model of its own."""
        return self.trainer is not None or bool(getattr(self.reader, "trains", False))

    def on(self, vectors: WordVectors | None, progress: Progress | None) -> Answering:
        """The predictor for these vectors."""
        if self.predictor is not None:
            return Answering(self.predictor, model_facts(self.predictor))
        assert vectors is not None
        reader = self.trainer.model(vectors, progress) if self.trainer else self.reader
        assert reader is not None
        predictor = reader.on(vectors)
        model = model_facts(reader)
        facts = {**model.facts, **model_facts(predictor).facts}
        return Answering(predictor, replace(model, facts=facts), reader, vectors)


def asker_for(
    entry: Entry[Declared],
    made: Any,
    *,
    vectors: WordVectors | None,
    model: Any,
    scores: str | Path | None,
    trainer: Trainer | None,
) -> Asker:
    """Resolve the predictor from the user's arguments; contradictory ones are refused."""
    need: type[Any] = entry.facts.needs  # type: ignore[assignment]
    sources = {"a model": model, "scores": scores, "retraining": trainer}
    named = [name for name, value in sources.items() if value is not None]
    if len(named) > 1:
        raise UnslantError(f"Name {' or '.join(named)}, not both.")
    if scores is not None:
        read = made.answered(Path(scores)) if isinstance(made, ReadsAnswers) else None
        return Asker(predictor=read or Scores(scores, need))
    instead = (
        f"Give an object with a method {method_of(need)}, or answers made elsewhere with "
        f"[[scores=…|--scores FILE]]."
    )
    if isinstance(model, LanguageModel):
        model = model.predictor(need)
    if isinstance(model, str | Path):
        if not isinstance(made, LoadsModel):
            raise UnslantError(f"{entry.name} reads no model from a file. {instead}")
        model = made.loaded(Path(model))
    if model is not None and (has_method(model, need) or not isinstance(model, Reader)):
        return Asker(predictor=accepted(model, need))
    if vectors is None:
        if model is None and isinstance(made, HasDefault):
            return Asker(predictor=made.default())
        if model is None and not isinstance(made, ReadsVectors):
            raise UnslantError(f"{entry.name} has no model of its own. {instead}")
        raise UnslantError("Name the vectors that the model reads, for example us.load().")
    if trainer is not None:
        return Asker(trainer=trainer)
    if model is not None:
        return Asker(reader=model)
    if not isinstance(made, ReadsVectors):
        raise UnslantError(f"{entry.name} cannot be put to word vectors. {instead}")
    return Asker(reader=made.reader())


def questions_of(
    made: Any,
    vectors: WordVectors | None,
    policy: WordPolicy,
    given: Any = None,
    predictor: Any = None,
) -> Any:
    """The set that a probe asks, or the one ``given``, as far as the vectors have its words.

    A set that is too large for the ``predictor`` is sampled; one that was given is used
    as it is.
    """
    questions = made.questions() if given is None and isinstance(made, AsksSet) else given
    if vectors is not None and isinstance(made, KnowsWords):
        return made.known(questions, vectors, policy)
    if given is None and predictor is not None and isinstance(made, BoundsSet):
        return made.subsample(questions, predictor)
    return questions


def model_facts(model: Any) -> Resource:
    """A model's self-description; a user's own model may only have its class name."""
    name, sha256 = getattr(model, "name", None), getattr(model, "sha256", None)
    facts: Facts = getattr(model, "facts", {}) or {}
    is_file = isinstance(model, Scores | AnswersById | ClusterAnswers | GapAnswers | TagAnswers)
    return Resource(
        name=name if isinstance(name, str) and name else type(model).__name__,
        kind="scores" if is_file else "model",
        sha256=sha256 if isinstance(sha256, str) else "",
        facts=facts if isinstance(facts, dict) else {},
    )
