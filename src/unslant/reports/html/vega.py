"""The script that draws charts in a browser: Vega, Vega-Lite and their embedding in one text."""

import hashlib
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from unslant.core.errors import OutputError
from unslant.core.files import write_text
from unslant.core.folders import cache_folder

_ENDS_A_SCRIPT = {"</script": "<\\/script", "<!--": "<\\!--", "<script": "\\x3cscript"}
"""What HTML would take for its own inside a script, and the same in JavaScript's strings."""


def vega_script() -> str:
    """The script, which defines ``vegaEmbed``; made once for each version, as that takes seconds.

    It is kept with its hash: a file that was cut or changed is made again.
    """
    path = cache_folder() / "reports" / f"vega-{version('vl-convert-python')}.js"
    return _kept(path) or _made(path)


def _kept(path: Path) -> str | None:
    try:
        digest, _, script = path.read_bytes().decode().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return script if digest == _digest(script) else None


def _made(path: Path) -> str:
    import vl_convert

    bundle: Any = vl_convert.javascript_bundle  # its types want a snippet that it does not need
    script = str(bundle())
    for ending, harmless in _ENDS_A_SCRIPT.items():
        script = script.replace(ending, harmless)
    # A folder that cannot be written to costs time at every page, but hinders none.
    with suppress(OSError, OutputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, f"{_digest(script)}\n{script}")
    return script


def _digest(script: str) -> str:
    return f"// sha256 {hashlib.sha256(script.encode()).hexdigest()}"
