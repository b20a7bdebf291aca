"""``unslant audit``: the whole picture of one concept in one file."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.outputs import OverwriteOption, RecordOption, check_new, free_name
from unslant.concepts import WordPolicy, concept
from unslant.core.errors import UnslantError
from unslant.reports.terminal import record_tables
from unslant.studies.audit import audit


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("audit")(run)


def run(
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
    check_new(html, overwrite=overwrite, ending=".html")
    check_new(record_file, overwrite=overwrite, ending=".json")
    if as_json and file is not None and file.endswith(".json"):
        raise UnslantError(f"--json prints the record. To write it to a file: --record {file}")
    chosen = concept(concept_name)
    policy = WordPolicy(missing=missing, case=case)
    vectors = shared.load_for_cli(
        file, limit=limit, only=only, duplicates=duplicates, undecodable=undecodable, cache=cache
    )
    before = shared.load_for_cli(baseline, cache=cache) if baseline else None
    with shared.progress_bar() as progress:
        result = audit(vectors, chosen, policy, baseline=before, quality=quality, progress=progress)
    target = html or free_name(Path(f"unslant-report-{chosen.name}.html"))
    with shared.progress_bar() as progress:  # files first: whatever stops the printing, they exist
        for path in (record_file, target):
            if path is not None:
                result.save(path, progress=progress)
    if as_json:
        shared.print_json(result.to_dict())
        return
    shared.out.print(record_tables(result.record))
    if record_file is not None:
        shared.out.print(f"Record: {record_file}", soft_wrap=True, markup=False)
    shared.out.print(f"Report: {target}", soft_wrap=True, markup=False)
