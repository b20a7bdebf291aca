"""The vectors that a plan names."""

import difflib
import re
from pathlib import Path

from unslant.core.toml_lines import Place
from unslant.core.toml_source import TomlSource
from unslant.studies.plan.cells import PlannedResource
from unslant.vectors.builtin import BUILTIN

_KEYS = ("path", "url", "sha256", "limit")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def read_resources(source: TomlSource) -> dict[str, PlannedResource]:
    """The resources of a plan by label."""
    found = {}
    for label, value in source.get(("resources",), dict, {}).items():
        place = ("resources", label)
        check_label(source, place, label)
        if isinstance(value, str):
            if "://" in value:
                raise source.error(
                    place,
                    f'"{label}" is an address; write {{ url = "…", sha256 = "…" }}, so that what '
                    f"is fetched can be checked.",
                )
            found[label] = PlannedResource(label=label, path=_path(source, place, value))
        elif isinstance(value, dict):
            found[label] = _from_table(source, place, label)
        else:
            raise source.error(
                place, f'"{label}" must be "{BUILTIN}", a path in quotes, or {{ path = "…" }}.'
            )
    return found


def check_label(source: TomlSource, place: Place, label: str) -> None:
    """Refuse a label that could not be shown in a table."""
    if not label.strip() or not label.isprintable():
        raise source.error(place, f"a label must have printable characters, not {label!r}.")


def _from_table(source: TomlSource, place: tuple[str, ...], label: str) -> PlannedResource:
    source.only(place, _KEYS)
    path, url, sha256 = (source.get((*place, key), str, "") for key in ("path", "url", "sha256"))
    if not path and not url:
        raise source.error(place, f'"{label}" has neither a path nor a url.')
    if url and not url.lower().startswith("https://"):
        raise source.error((*place, "url"), f'a url begins with https://, not "{url[:20]}".')
    if url and not sha256:
        raise source.error(
            place, f'"{label}" has a url without sha256, so what is fetched cannot be checked.'
        )
    if sha256 and not _SHA256.fullmatch(sha256.lower()):
        raise source.error((*place, "sha256"), "sha256 must be 64 hexadecimal digits.")
    limit = source.get((*place, "limit"), int, 0) if source.has((*place, "limit")) else None
    if limit is not None and limit < 1:
        raise source.error((*place, "limit"), f"limit must be at least 1, not {limit}.")
    return PlannedResource(
        label=label,
        path=_path(source, (*place, "path"), path) if path else "",
        url=url,
        sha256=sha256.lower(),
        limit=limit,
    )


def _path(source: TomlSource, place: tuple[str, ...], text: str) -> str:
    if text == BUILTIN:
        return BUILTIN
    if not text.strip() or "\0" in text:
        raise source.error(place, f'a path is missing; the vectors in the package are "{BUILTIN}".')
    found = source.path(text, place)
    if not Path(found).exists() and difflib.get_close_matches(text, [BUILTIN]):
        raise source.error(place, f'there is no file "{text}". Did you mean "{BUILTIN}"?')
    return found
