"""The script that draws charts in a browser: Vega, Vega-Lite and their embedding in one text."""

import hashlib
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.files import write_text
from unslant.core.folders import cache_folder

_ENDS_A_SCRIPT = {"</script": "<\\/script", "<!--": "<\\!--", "<script": "\\x3cscript"}
"""What HTML would take for its own inside a script, and the same in JavaScript's strings."""

PINNED = {
    "1.9.0": "3425bd951a44d478d0505c6b5d1e8d57656b6e9a4da7bfe88a718ce61d76e572",
    "1.9.0.post1": "3425bd951a44d478d0505c6b5d1e8d57656b6e9a4da7bfe88a718ce61d76e572",
}
"""The SHA-256 of the script that each known version of vl-convert makes."""


@cache
def vega_script() -> str:
    """The script, which defines ``vegaEmbed``; made once for each version, as that takes seconds.

    What is in the cache is used only if it is the script pinned here, so whoever can write to the
    cache cannot change what a page runs. The script of a version that is not pinned is never kept.
    """
    installed = version("vl-convert-python")
    pinned = PINNED.get(installed)
    if pinned is None:
        return _made()
    path = cache_folder() / "reports" / f"vega-{installed}.js"
    return _kept(path, pinned) or _made_and_kept(path, pinned)


def _kept(path: Path, pinned: str) -> str | None:
    try:
        script = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return script if _sha256(script) == pinned else None


def _made_and_kept(path: Path, pinned: str) -> str:
    script = _made()
    # A folder that cannot be written to costs time in every process, but hinders none.
    with suppress(OSError, OutputError):
        if _sha256(script) == pinned:  # or it would never be used
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, script)
    return script


def _made() -> str:
    import vl_convert

    bundle: Any = vl_convert.javascript_bundle  # its types want a snippet that it does not need
    script = str(bundle())
    for ending, harmless in _ENDS_A_SCRIPT.items():
        script = script.replace(ending, harmless)
    return script


def _sha256(script: str) -> str:
    return hashlib.sha256(script.encode()).hexdigest()
