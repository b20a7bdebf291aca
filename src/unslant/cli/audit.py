"""``unslant audit``: measure everything about one concept in one file."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.option_groups import takes
from unslant.cli.outputs import (
    OverwriteOption,
    RecordOption,
    check_new,
    free_name,
    show,
    written,
)
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UnslantError
from unslant.studies.audit import audit


@takes(reading=shared.reading_of)
def run(
    *,
    file: shared.FileArgument = None,
    concept_name: shared.ConceptOption = "gender",
    html: Annotated[
        Path | None, typer.Option("--html", help="Path of the report (generated if omitted).")
    ] = None,
    record_file: RecordOption = None,
    as_json: shared.JsonOption = False,
    overwrite: OverwriteOption = False,
    baseline: shared.BaselineOption = None,
    quality: Annotated[
        bool, typer.Option("--quality/--no-quality", help="Similarity and analogy benchmarks.")
    ] = True,
    contexts: shared.ContextsOption = None,
    missing: shared.MissingOption = "drop",
    case: shared.CaseOption = "lower",
    reading: shared.InputReading,
) -> None:
    """Measure a concept in word vectors or a language model: tables here, and one HTML file.

    Example: unslant audit glove.6B.300d.txt --concept race

    Before and after: unslant audit fair.txt --baseline glove.6B.300d.txt

    A place in a model: unslant audit bert-folder@layer:-1[cls]
    """
    check_new(html, overwrite=overwrite, ending=".html")
    check_new(record_file, overwrite=overwrite, ending=".json")
    if as_json and file is not None and file.endswith(".json"):
        raise UnslantError(f"--json prints the record. To write it to a file: --record {file}")
    chosen = concept(concept_name)
    policy = WordPolicy(missing=missing, case=case)
    vectors = reading.resource(file)
    before = shared.InputReading(cache=reading.cache).resource(baseline) if baseline else None
    with shared.progress_bar() as progress:
        result = audit(
            vectors,
            chosen,
            policy,
            baseline=before,
            quality=quality,
            contexts=contexts,
            cache=reading.cache,
            progress=progress,
        )
    target = html or free_name(Path(f"unslant-report-{chosen.name}.html"))
    written(result, record_file, target)  # first, so that they exist even if printing fails
    show(result, {"Record": record_file, "Report": target}, as_json=as_json)
