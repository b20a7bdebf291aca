"""``unslant cache``: what was kept of large files."""

from typing import Annotated

import typer

from unslant.cli import shared
from unslant.core.folders import cache_folder
from unslant.vectors.cache import Cache


def run(
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything in it.")] = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Show where the cache is and how large, or clear it."""
    cache = Cache(cache_folder())
    files = list(cache.files())
    size = sum(path.stat().st_size for path in files)
    if clear:
        cache.clear()
    if as_json:
        facts = {"folder": str(cache.folder), "files": len(files), "bytes": size, "cleared": clear}
        shared.print_json(facts)
        return
    verb = "Removed" if clear else "Holds"
    shared.say(f"{cache.folder}")
    shared.out.print(f"{verb} {len(files):,} files, {size / 1e6:,.1f} MB.")
