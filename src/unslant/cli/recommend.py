"""``unslant recommend``: the best method for these vectors, why, and what it costs."""

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from unslant.cli import shared
from unslant.cli.option_groups import takes
from unslant.cli.outputs import (
    Outputs,
    check_folder_of,
    check_new,
    outputs_of,
    written,
)
from unslant.cli.study import WorkersOption
from unslant.core.files import write_text
from unslant.core.record import Recommendation
from unslant.core.visible import visible
from unslant.reports.recommendation import option_table
from unslant.reports.terminal import table_of
from unslant.studies.recommendation.recommend import PLAN, Recommended, recommend

NONE = 1
"""The exit code if no method can be recommended."""


@takes(outputs=outputs_of)
def run(
    *,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="A file of word vectors; the built-in GloVe slice if omitted. Language models "
            "are not supported yet: docs/walk.md explains how to compare methods in one.",
            show_default=False,
        ),
    ] = None,
    concept_name: shared.ConceptOption = "gender",
    purpose: Annotated[
        Literal["shipping", "research", "audit"],
        typer.Option(
            "--for",
            help="shipping: most bias removed within 5 % of the quality, nothing downstream made "
            "worse. audit: most measures improved. research: all that no other method beats.",
        ),
    ] = "shipping",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder for the plan and its study (in the cache if omitted)."
        ),
    ] = None,
    plan_file: Annotated[
        Path | None, typer.Option("--plan", help="Also write the plan to this .toml file.")
    ] = None,
    retrain: Annotated[
        Path | None,
        typer.Option(
            "--retrain", help="A folder of SNLI: train an inference model for each method (slow)."
        ),
    ] = None,
    workers: WorkersOption = 1,
    outputs: Outputs,
) -> None:
    """Compare debiasing methods on your data and recommend one, with the reason and the cost.

    Example: unslant recommend glove.6B.300d.txt --concept gender --for shipping

    The study behind it is kept: the same command again, or with another --for, takes seconds.
    Exits with status 1 if no method can be recommended.
    """
    check_new(plan_file, overwrite=outputs.overwrite, ending=".toml")
    if output is not None:
        check_folder_of(output)
    with shared.progress_bar() as progress:
        found = recommend(
            file,
            concept_name,
            purpose=purpose,
            output=output,
            retrain=retrain,
            workers=workers,
            progress=progress,
        )
    said = found.record.recommendation
    assert said is not None
    if plan_file is not None and found.record.study and found.record.study.plan.text:
        write_text(plan_file, found.record.study.plan.text)
    written(found, outputs.html, outputs.record)
    if outputs.as_json:
        shared.print_json(found.to_dict())
    else:
        _show(found, said, file, concept_name, output)
        files = {"Report": outputs.html, "Record": outputs.record, "Plan": plan_file}
        for what, path in files.items():
            if path is not None:
                shared.say(f"{what}: {path}")
    if said.method is None:
        raise typer.Exit(NONE)


def _show(
    found: Recommended, said: Recommendation, file: str | None, concept: str, output: Path | None
) -> None:
    shared.out.print()
    for number, sentence in enumerate(found.sentences):
        shared.out.print(Text(visible(sentence), style="bold" if number == 0 else ""))
    shared.out.print(table_of(option_table(said)))
    for note in said.notes:
        shared.out.print(Text(visible(note), style="dim"), soft_wrap=True)
    for item in found.record.left_out:
        shared.out.print(Text(f"Left out: {visible(item.what)}: {visible(item.why)}", "yellow"))
    if said.method is not None:
        source = f"{shlex.quote(file)} " if file else ""
        shared.say(
            f"Apply it: unslant debias {source}--with {shlex.quote(said.expression)} "
            f"--concept {shlex.quote(concept)} -o FILE"
        )
    if output is not None:
        shared.say(f"Plan: {output / PLAN}")
