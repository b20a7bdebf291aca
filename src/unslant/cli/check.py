"""``unslant check``: does a record keep its bounds?"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.outputs import OverwriteOption, check_new
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Column, Table
from unslant.core.files import write_text
from unslant.core.read_record import read_record
from unslant.core.record import Record
from unslant.core.visible import visible
from unslant.reports.gate.check import (
    Bound,
    Check,
    Judge,
    against_checks,
    bound_checks,
    exit_code,
    is_paired,
    junit,
    refuse_empty,
)
from unslant.reports.table_terminal import Drawn

_STYLES = {"passed": "green", "failed": "bold red", "not judged": "yellow", "skipped": "dim"}
RecordArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RECORD", help="A record, written with --record by audit, debias or probe."
    ),
]


def run(
    source: RecordArgument,
    most: Annotated[
        list[str] | None,
        typer.Option("--max", help="MEASURE[:TEST]=NUMBER, the largest value; can be repeated."),
    ] = None,
    least: Annotated[
        list[str] | None,
        typer.Option("--min", help="MEASURE[:TEST]=NUMBER, the smallest value; can be repeated."),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option("--no-worse-than", help="A record of the same measures to compare with."),
    ] = None,
    judge: Annotated[
        Judge, typer.Option("--judge", help="Judge the entire interval, or the value alone.")
    ] = "interval",
    junit_file: Annotated[
        Path | None, typer.Option("--junit", help="Write JUnit XML to this .xml file.")
    ] = None,
    as_json: shared.JsonOption = False,
    overwrite: OverwriteOption = False,
) -> None:
    """Check the bounds of a saved record: exit status 0 if kept, 1 if not, 2 if not judged.

    Example: unslant check audit.json --max weat:career-family=1.7 --no-worse-than base.json
    """
    check_new(junit_file, overwrite=overwrite, ending=".xml")
    bounds = [
        *(Bound.of("max", text) for text in most or ()),
        *(Bound.of("min", text) for text in least or ()),
    ]
    if not bounds and base is None:
        raise UnslantError("Name what to check: --max, --min or --no-worse-than.")
    record = _record(source)
    checks = [check for bound in bounds for check in bound_checks(record, bound, judge)]
    paired = None
    if base is not None:
        other = _record(base)
        checks += against_checks(record, other, judge)
        paired = is_paired(record, other)
    code = exit_code(checks)
    if junit_file is not None:
        write_text(junit_file, junit(checks, f"unslant check {source.name}"))
    if as_json:
        shared.print_json(
            {
                "format": "unslant check 1",
                "record": str(source),
                "judge": judge,
                "paired": paired,
                "exit": code,
                "verdict": record.conclusion.sentence if record.conclusion else "",
                "checks": [asdict(check) for check in checks],
            }
        )
    else:
        _show(record, checks, paired, judge)
    raise typer.Exit(code)


def _record(path: Path) -> Record:
    record = read_record(path)
    refuse_empty(record, str(path))
    return record


def _show(record: Record, checks: list[Check], paired: bool | None, judge: Judge) -> None:
    if record.conclusion:
        shared.say(visible(record.conclusion.sentence))
    rows = [
        (check.name, check.asked, check.status, check.says)
        for check in checks
        if check.status != "skipped"
    ]
    columns = tuple(Column(label=label) for label in ("check", "asked", "result", "found"))
    styles = {(number, 2): _STYLES[status] for number, (_, _, status, _) in enumerate(rows)}
    table = Table(id="checks", title="", columns=columns, rows=tuple(rows))
    shared.out.print(Drawn(table, styles=styles))
    skipped = sum(check.status == "skipped" for check in checks)
    if skipped:
        shared.note(f"Note: {skipped} results cannot be compared; --json lists them.")
    if paired is False and judge == "interval":
        shared.note(
            "Note: the two records were resampled separately, so intervals of changes are wider "
            "than those of a paired comparison (--baseline)."
        )
