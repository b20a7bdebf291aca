"""Recommend a method for a file of vectors: plan, run, weigh, say."""

import hashlib
import shlex
from dataclasses import replace
from pathlib import Path

from unslant.concepts import Concept, GivenConcept, concept
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.files import Progress, cache_folder, write_text
from unslant.core.record import PURPOSES, Purpose
from unslant.reports.recommendation import option_table
from unslant.studies.checks import path_from
from unslant.studies.plan.reading import read_plan
from unslant.studies.recommendation.choice import choose
from unslant.studies.recommendation.numbers import Numbers, numbers_of
from unslant.studies.recommendation.plan_text import CANDIDATES, controls, plan_for
from unslant.studies.recommendation.wording import recommendation
from unslant.studies.record import Recorded
from unslant.studies.resources import is_model
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.contents import found_cells
from unslant.studies.run.plan_folder import make_folder
from unslant.studies.run.processes import Processes
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record
from unslant.vectors import WordVectors, load
from unslant.vectors.load import BUILTIN

PLAN = "recommend.toml"


class Recommended(Recorded):
    """The record of a recommendation, with its study."""

    @property
    def method(self) -> str | None:
        """The expression of the recommended method; None if there is none."""
        recommendation = self.record.recommendation
        return recommendation.expression or None if recommendation else None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer, the reason and the price."""
        recommendation = self.record.recommendation
        assert recommendation is not None
        return tuple(
            filter(None, (recommendation.answer, recommendation.reason, recommendation.price))
        )

    def __repr__(self) -> str:
        return f"<Recommended {' '.join(self.sentences[:1])}>"


def recommend(
    vectors: str | Path | None = None,
    about: GivenConcept = "gender",
    *,
    purpose: Purpose = "shipping",
    output: str | Path | None = None,
    retrain: str | Path | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Recommended:
    """Compare the sensible methods on a file of vectors, and recommend one.

    The file is named, because anyone who has it can run the study again; without one, it
    is the built-in slice. ``output`` is the folder of the study, kept in the cache if omitted;
    what it has is not computed again. ``retrain`` is a folder of SNLI: then an inference model is
    trained for every method.
    """
    if purpose not in PURPOSES:
        raise UnknownNameError("purpose", purpose, PURPOSES)
    path = _path(vectors)
    subject = concept(about)
    read = load(None if path == BUILTIN else path, progress=progress)
    trained = str(path_from(retrain, "a folder of SNLI").absolute()) if retrain else ""
    planned = plan_for(path, read, subject, _concept_path(about, subject), retrain=trained)
    folder = path_from(output, "a folder") if output else _folder(read, subject, planned.text)
    make_folder(folder)
    plan_file = folder / PLAN
    write_text(plan_file, planned.text)
    store = Store(folder / "study")
    with InProcess() if workers == 1 else Processes(workers) as executor:
        run(read_plan(plan_file), store, executor, progress=progress)
    numbers = weighed(store, read.dim)
    choice = choose(numbers.options, purpose, shows_bias=numbers.shows_bias)
    notes = [
        *planned.notes,
        f"Run it again: unslant study run {shlex.quote(str(plan_file))} -o FOLDER",
    ]
    answer = recommendation(
        choice,
        numbers.options,
        numbers.controls,
        purpose=purpose,
        concept=subject.name,
        shows_bias=numbers.shows_bias,
        notes=notes,
    )
    record = study_record(store.folder)
    return Recommended(
        replace(
            record,
            recommendation=answer,
            exhibits=(option_table(answer),),
            subject=replace(record.subject, title=f"A method for {subject.title}"),
            left_out=(*numbers.left_out, *record.left_out),
        )
    )


def weighed(store: Store, dim: int) -> Numbers:
    """The numbers of a finished study, each method with its controls."""
    drawn = controls(dim)
    is_many = {label: many for label, (_, many) in drawn.items()}
    many = {item.expression: item.removes_many for item in CANDIDATES}
    expressions = {item.expression: item.expression for item in CANDIDATES}
    expressions |= {label: text for label, (text, _) in drawn.items()}
    numbers = numbers_of(
        list(found_cells(store)),
        expressions,
        {item.expression: item.cost for item in CANDIDATES},
        is_many,
        dim=dim,
    )
    numbers.options = [
        replace(
            option,
            controls=tuple(
                item for item in numbers.controls if is_many[item.method] == many[option.method]
            ),
        )
        for option in numbers.options
    ]
    return numbers


def _path(given: str | Path | None) -> str:
    if given is None or given == BUILTIN:
        return BUILTIN
    if isinstance(given, WordVectors):
        raise UnslantError(
            "recommend takes the path of a file, so that its study can be run again. Save these "
            "vectors first, with us.save."
        )
    if is_model(given):
        raise UnslantError(
            f"{given} is a language model, and recommend compares methods on word vectors only. To "
            f"compare erasers at places of a model, walk a tree of interventions: see docs/walk.md "
            f"and unslant study run examples/thesis-tree.toml."
        )
    return str(path_from(given, "a file of vectors").absolute())


def _concept_path(given: GivenConcept, subject: Concept) -> str:
    """The concept's name in a plan: a bundled name, or the absolute path of its file."""
    if not isinstance(given, str | Path):
        return subject.name
    path = Path(given)
    return str(path.absolute()) if path.suffix == ".toml" else str(given)


def _folder(vectors: WordVectors, subject: Concept, text: str) -> Path:
    key = hashlib.sha256(f"{vectors.content_hash} {subject.content_hash} {text}".encode())
    return cache_folder() / "recommendations" / key.hexdigest()[:16]
