"""What ``unslant probe`` writes: the record, the texts of a probe, its test sets."""

from pathlib import Path
from typing import Any

from rich.table import Table

from unslant.cli import shared
from unslant.cli.outputs import check_new
from unslant.core.plain import to_plain
from unslant.core.registry import Entry
from unslant.measures.registry import Declared
from unslant.probes.abilities import ListsSets
from unslant.probes.export import sheet_of, write_rows
from unslant.reports.terminal import record_tables
from unslant.studies.record import Recorded


def show_record(done: Recorded, *, html: Path | None, as_json: bool) -> None:
    """The record in the terminal or as JSON."""
    if as_json:
        shared.print_json(to_plain(done.record))
        return
    shared.out.print(record_tables(done.record))
    if html is not None:
        shared.out.print(f"Report: {html}", soft_wrap=True, markup=False)


def export_to_file(
    entry: Entry[Declared], made: Any, path: Path, overwrite: bool, as_json: bool
) -> None:
    """Write what a probe asks to a file."""
    check_new(path, overwrite=overwrite)
    assert not isinstance(entry.facts.needs, str)  # a probe needs a predictor
    columns, total, rows = sheet_of(made, entry.facts.needs)
    with shared.progress_bar() as progress:
        write_rows(columns, rows, total, path, progress)
    if as_json:
        shared.print_json({"rows": total, "file": str(path)})
    else:
        shared.out.print(f"{total:,} rows: {path}", soft_wrap=True, markup=False)


def list_sets(made: ListsSets, *, as_json: bool) -> None:
    """The bundled test sets of a probe."""
    sets = [(item.subject(), len(item)) for item in made.sets()]
    if as_json:
        shared.print_json(
            [
                {"name": item.name, "size": size, "title": item.title, "about": item.about}
                for item, size in sets
            ]
        )
        return
    table = Table()
    table.add_column("set", no_wrap=True)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("what it asks", ratio=1)
    for item, size in sets:
        table.add_row(item.name, f"{size:,}", item.title)
    shared.out.print(table)
