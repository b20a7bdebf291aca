"""``unslant files``: check, convert and download files, and manage the cache."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from unslant.cli import shared
from unslant.cli.list_data import named_files
from unslant.cli.option_groups import takes
from unslant.cli.outputs import FormatOption, OverwriteOption, check_new
from unslant.core.files import cache_folder
from unslant.datasets import registry
from unslant.models.glove.neutral import view
from unslant.reports.table_terminal import fact_table
from unslant.vectors.cache import Cache
from unslant.vectors.load import diagnose
from unslant.vectors.save import format_of, save


def doctor(
    file: Annotated[str, typer.Argument(help="A file of word vectors.")],
    most: Annotated[int, typer.Option("--show", help="How many problems to print.")] = 50,
    as_json: shared.JsonOption = False,
) -> None:
    """Read a whole file and list every problem in it, with line numbers.

    Exits with status 1 if the file has problems.
    """
    with shared.progress_bar() as progress:
        found = diagnose(file, progress)
    if as_json:
        shared.print_json({**asdict(found), "is_sound": found.is_sound})
        raise typer.Exit(0 if found.is_sound else 1)
    facts = [
        (
            key.replace("_", " "),
            "; ".join(map(str, value)) if isinstance(value, list) else str(value),
            "",
        )
        for key, value in found.facts.items()
        if value not in (None, [])
    ]
    if facts:
        shared.out.print(fact_table("", facts))
    for problem in found.problems[:most]:
        shared.out.print(Text(f"{problem}. {problem.remedy}".strip()), soft_wrap=True)
    total = sum(found.counts.values())
    if found.is_sound:
        shared.out.print("No problem found.")
        return
    kinds = ", ".join(f"{count:,} × {kind}" for kind, count in sorted(found.counts.items()))
    shown = min(most, len(found.problems))
    noun = "problem" if total == 1 else "problems"
    shared.out.print(f"{total:,} {noun} ({kinds}); {shown:,} shown.")
    raise typer.Exit(1)


@takes(reading=shared.reading_of)
def convert(
    *,
    file: Annotated[str, typer.Argument(help="A file of word vectors, or: builtin")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Path of the vectors: .safetensors, .npz, .bin, .vec or .txt (also .gz, .xz).",
            show_default=False,
        ),
    ],
    format_name: FormatOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
    reading: shared.InputReading,
    view_name: Annotated[
        str | None,
        typer.Option(
            "--view",
            help="One part of what unslant train gn-glove wrote: w_a, or w_g.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Read vectors, check them, and write them in another format without loss.

    Example: unslant files convert GoogleNews.bin -o GoogleNews.safetensors --limit 200000
    """
    check_new(output, overwrite=overwrite)
    format_of(output, format_name)
    vectors = reading.vectors(file)
    if view_name is not None:
        vectors = view(vectors, view_name)
    with shared.progress_bar() as progress:
        save(vectors, output, format_name, progress)
    if as_json:
        facts = {"words": len(vectors), "dim": vectors.dim, "sha256": vectors.content_hash}
        shared.print_json({"file": str(output), **facts})
        return
    shared.say(f"{vectors} written to {output}")


def fetch(
    name: Annotated[
        str, typer.Argument(help="A name, a group of names such as similarity, or all.")
    ],
    as_json: shared.JsonOption = False,
) -> None:
    """Download public benchmark files; each is checked by its SHA-256 before it is kept.

    Example: unslant files fetch similarity
    """
    names = named_files(name)
    paths: dict[str, str] = {}
    with shared.progress_bar() as progress:
        for number, known in enumerate(names):
            progress("Fetching", number, len(names))
            paths[known] = str(registry.fetch(known))
    if as_json:
        shared.print_json(paths)
        return
    for known, path in paths.items():
        shared.say(f"{known}: {path}")


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything in it.")] = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Show the location and size of the cache, or clear it."""
    kept = Cache(cache_folder())
    files = list(kept.files())
    size = sum(path.stat().st_size for path in files)
    if clear:
        kept.clear()
    if as_json:
        facts = {"folder": str(kept.folder), "files": len(files), "bytes": size, "cleared": clear}
        shared.print_json(facts)
        return
    verb = "Removed" if clear else "Holds"
    shared.say(f"{kept.folder}")
    shared.out.print(f"{verb} {len(files):,} files, {size / 1e6:,.1f} MB.")
