"""``unslant convert``: the same vectors in another format."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.outputs import FormatOption, OverwriteOption, check_new
from unslant.models.glove.neutral import view
from unslant.vectors.save import format_of, save


def run(
    file: Annotated[str, typer.Argument(help="A file of word vectors, or: builtin")],
    output: Annotated[
        Path, typer.Argument(help="Ends in .safetensors, .npz, .bin, .vec or .txt (also .gz, .xz)")
    ],
    format_name: FormatOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
    limit: shared.LimitOption = None,
    only: shared.OnlyOption = None,
    duplicates: shared.DuplicatesOption = "fail",
    undecodable: shared.UndecodableOption = "fail",
    cache: shared.CacheOption = True,
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

    Example: unslant convert GoogleNews.bin GoogleNews.safetensors --limit 200000
    """
    check_new(output, overwrite=overwrite)
    format_of(output, format_name)
    vectors = shared.load_for_cli(
        file, limit=limit, only=only, duplicates=duplicates, undecodable=undecodable, cache=cache
    )
    if view_name is not None:
        vectors = view(vectors, view_name)
    with shared.progress_bar() as progress:
        save(vectors, output, format_name, progress)
    if as_json:
        facts = {"words": len(vectors), "dim": vectors.dim, "sha256": vectors.content_hash}
        shared.print_json({"file": str(output), **facts})
        return
    shared.say(f"{vectors} written to {output}")
