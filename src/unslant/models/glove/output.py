"""From a corpus to a file of vectors with its record; progress is kept until both are written."""

import json
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.concepts import GivenConcept, concept
from unslant.core.errors import OutputError
from unslant.core.extras import extra_for
from unslant.core.files import Progress, write_text
from unslant.core.lineage import Lineage, name_of_file
from unslant.core.provenance import provenance
from unslant.models.glove.counts import Counts, counts_of
from unslant.models.glove.neutral import check_groups, groups_of
from unslant.models.glove.settings import CountSettings, GloveSettings, NeutralSettings
from unslant.models.glove.training import Neutrality, Trained, train
from unslant.vectors import Vocabulary, WordVectors
from unslant.vectors.save import save


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """The attribute that GN-GloVe keeps out of w_a: a concept, its word list, and the objective."""

    concept: GivenConcept
    table: str | None = None
    how: NeutralSettings = field(default_factory=NeutralSettings)


@dataclass(frozen=True, eq=False)
class TrainedVectors:
    """Vectors that were trained, and the record of how."""

    vectors: WordVectors
    record: dict[str, Any]


def work_folder(output: Path) -> Path:
    """The folder for counts and finished iterations until the vectors are written."""
    return output.with_name(f"{output.name}.work")


def record_path(output: Path) -> Path:
    """The path of the vectors' record."""
    return output.with_name(f"{name_of_file(output.name)}.json")


def train_to(
    output: Path,
    corpus: Path,
    counting: CountSettings,
    how: GloveSettings,
    attribute: Attribute | None = None,
    *,
    counts_folder: Path | None = None,
    format: str | None = None,
    note: str = "",
    progress: Progress | None = None,
) -> TrainedVectors:
    """Count a corpus, train vectors, and write them to ``output`` with a record next to it.

    Called again after a stop, it continues. ``counts_folder`` keeps the counts for other trainings
    on the same text; otherwise they are removed at the end with everything that is not the result.
    """
    extra_for("Training word vectors", "numba", "glove")
    if attribute is not None:
        check_groups(concept(attribute.concept), attribute.how, attribute.table)
    work = work_folder(output)
    try:
        work.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"Cannot write {work}: {error.strerror}.") from error
    try:
        begun = time.monotonic()
        counts = counts_of(
            corpus,
            counting,
            counts_folder or work / "counts",
            seed=how.seed,
            threads=how.threads,
            progress=progress,
        )
        counted = round(time.monotonic() - begun, 1)
        neutrality = _neutrality(attribute, counts)
        trained = train(counts, how, neutrality, checkpoint=work / "checkpoint", progress=progress)
        record = _record(counts, how, neutrality, trained, note) | {"count_seconds": counted}
        vectors = _vectors(output, counts, trained, neutrality, record)
        save(vectors, output, format, progress)
        write_text(record_path(output), json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        shutil.rmtree(work)
    finally:
        with suppress(OSError):  # after a mistake nothing is in it
            work.rmdir()
    return TrainedVectors(vectors, record)


def _neutrality(attribute: Attribute | None, counts: Counts) -> Neutrality | None:
    if attribute is None:
        return None
    item = concept(attribute.concept)
    groups = groups_of(item, counts.words, attribute.how, attribute.table)
    return Neutrality(groups, attribute.how)


def _vectors(
    output: Path,
    counts: Counts,
    trained: Trained,
    neutrality: Neutrality | None,
    record: dict[str, Any],
) -> WordVectors:
    origin: dict[str, Any] = {
        "trained": "glove" if neutrality is None else "gn-glove",
        "corpus_sha256": counts.facts["sha256"],
        "settings": record["settings"],
    }
    if neutrality is not None:
        origin["group_coordinates"] = neutrality.groups.coordinates
        origin["groups"] = record["groups"]
    return WordVectors(
        Vocabulary.of(counts.words),
        trained.vectors,
        Lineage(name_of_file(output.name)),
        origin=origin,
    )


def _record(
    counts: Counts,
    how: GloveSettings,
    neutrality: Neutrality | None,
    trained: Trained,
    note: str,
) -> dict[str, Any]:
    settings = how.to_dict()
    record: dict[str, Any] = {
        "kind": "unslant glove training 1",
        "corpus": {key: value for key, value in counts.facts.items() if key != "identity"},
        "settings": settings,
    }
    if neutrality is not None:
        record["settings"] = settings | {"neutral": neutrality.how.to_dict()}
        record["groups"] = dict(neutrality.groups.facts)
    return record | {
        "iterations": [dict(each) for each in trained.curve],
        "note": note,
        "provenance": provenance() | {"numba": extra_for("Training", "numba", "glove").__version__},
    }
