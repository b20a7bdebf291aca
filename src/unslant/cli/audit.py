"""``unslant audit``: the whole picture of one concept in one file."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.concepts import WordPolicy, concept
from unslant.reports.terminal import record_tables
from unslant.studies.audit import audit


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("audit")(run)


def run(
    file: shared.FileArgument = None,
    concept_name: shared.ConceptOption = "gender",
    html: Annotated[
        Path | None, typer.Option("--html", help="Where the report goes; a name is made if none.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the full record to this file as well.")
    ] = None,
    baseline: shared.BaselineOption = None,
    quality: Annotated[
        bool, typer.Option("--quality/--no-quality", help="Similarity and analogy benchmarks.")
    ] = True,
    missing: shared.MissingOption = "drop",
    case: shared.CaseOption = "lower",
    limit: shared.LimitOption = None,
    only: shared.OnlyOption = None,
    duplicates: shared.DuplicatesOption = "fail",
    undecodable: shared.UndecodableOption = "fail",
    cache: shared.CacheOption = True,
) -> None:
    """Measure a concept in word vectors: tables here, and one HTML file to keep.

    Example: unslant audit glove.6B.300d.txt --concept race

    Before and after: unslant audit fair.txt --baseline glove.6B.300d.txt
    """
    chosen = concept(concept_name)
    policy = WordPolicy(missing=missing, case=case)
    vectors = shared.load_for_cli(
        file, limit=limit, only=only, duplicates=duplicates, undecodable=undecodable, cache=cache
    )
    before = shared.load_for_cli(baseline, cache=cache) if baseline else None
    with shared.progress_bar() as progress:
        result = audit(vectors, chosen, policy, baseline=before, quality=quality, step=progress)
    target = html or Path(f"unslant-report-{chosen.name}.html")
    with shared.progress_bar() as progress:  # files first: whatever stops the printing, they exist
        for path in (json_file, target):
            if path is not None:
                result.save(path, progress=progress)
    shared.out.print(record_tables(result.record))
    if json_file is not None:
        shared.out.print(f"Record: {json_file}", soft_wrap=True, markup=False)
    shared.out.print(f"Report: {target}", soft_wrap=True, markup=False)
