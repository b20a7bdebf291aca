"""``unslant data``: public files that are used but not shipped."""

from typing import Annotated, Any

import typer

from unslant.cli import shared
from unslant.cli.listing import show_listing
from unslant.cli.whole_help import WholeHelp
from unslant.datasets.registry import WrongFileError, dataset, datasets, fetch, locate

app = typer.Typer(
    cls=WholeHelp, help="List or fetch public benchmark files.", rich_markup_mode=None
)


@app.callback(invoke_without_command=True)
def run(context: typer.Context, as_json: shared.JsonOption = False) -> None:
    """List the public files that can be used: size, licence, source and where each was found.

    Files are looked for in the folder that UNSLANT_DATA names and among those fetched before.
    """
    if context.invoked_subcommand is not None:
        return
    facts = [_facts(name) for name in datasets()]
    if as_json:
        shared.print_json(facts)
        return
    rows = [
        (
            item["name"],
            f"{item['bytes']:,}",
            item["licence"],
            f"{item['cite']}, {item['repository']}",
            item["found"] or item["problem"] or "—",
        )
        for item in facts
    ]
    faulty = [number for number, item in enumerate(facts) if item["problem"]]
    head = ("name", "bytes", "licence", "source", "found")
    show_listing(head, rows, typed=(0, 1, 4), yellow=faulty)
    shared.out.print(
        "Fetch one with: unslant data fetch NAME (or a group such as similarity, or all)"
    )


@app.command("fetch")
def run_fetch(
    name: Annotated[
        str, typer.Argument(help="A name, a group of names such as similarity, or all.")
    ],
    as_json: shared.JsonOption = False,
) -> None:
    """Download public files to the cache; each is checked by its SHA-256 before it is kept."""
    names = [known for known in datasets() if name in ("all", known, known.split("/")[0])]
    if not names:
        dataset(name)  # says which names there are
    paths: dict[str, str] = {}
    with shared.progress_bar() as progress:
        for number, known in enumerate(names):
            progress("Fetching", number, len(names))
            paths[known] = str(fetch(known))
    if as_json:
        shared.print_json(paths)
        return
    for known, path in paths.items():
        shared.say(f"{known}: {path}")


def _facts(name: str) -> dict[str, Any]:
    item = dataset(name)
    found, problem = None, ""
    try:
        found = locate(name)
    except WrongFileError as error:
        problem = str(error)
    return {
        "name": name,
        "bytes": item.bytes,
        "licence": item.licence,
        "cite": item.cite,
        "repository": item.repository,
        "address": item.address,
        "sha256": item.sha256,
        "found": None if found is None else str(found),
        "problem": problem,
    }
