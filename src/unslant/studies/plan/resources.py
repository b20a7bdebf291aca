"""The vectors and language models that a plan names."""

import difflib
import re
from pathlib import Path
from typing import Literal

from unslant.concepts.contexts import BUNDLED, any_contexts_from, corpus_of_types
from unslant.core.errors import UnslantError
from unslant.core.places import parse_place
from unslant.core.toml_lines import Place
from unslant.core.toml_source import TomlSource, unknown
from unslant.models.language.folder import is_model_folder
from unslant.studies.plan.cells import PlannedResource
from unslant.vectors.load import BUILTIN

_KEYS = ("path", "url", "sha256", "limit", "place", "contexts", "fit_contexts")
_OF_MODELS = ("place", "contexts", "fit_contexts")
_OF_VECTORS = ("limit",)
_SHA256 = re.compile(r"[0-9a-f]{64}")


def read_resources(source: TomlSource) -> dict[str, PlannedResource]:
    """The resources of a plan by label."""
    resources = {}
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
            path = _path(source, place, value)
            resources[label] = PlannedResource(label=label, path=path, kind=_kind(path))
        elif isinstance(value, dict):
            resources[label] = _from_table(source, place, label)
        else:
            raise source.error(
                place, f'"{label}" must be "{BUILTIN}", a path in quotes, or {{ path = "…" }}.'
            )
    return resources


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
    path = _path(source, (*place, "path"), path) if path else ""
    kind = "vectors" if url else _kind(path)
    if kind != "missing":
        for key in _OF_VECTORS if kind == "model" else _OF_MODELS:
            if source.has((*place, key)):
                other = "a language model" if kind == "vectors" else "word vectors"
                raise source.error(
                    (*place, key), f'"{key}" is for {other}, and "{label}" is not; leave it out.'
                )
    at = source.get((*place, "place"), str, "")
    return PlannedResource(
        label=label,
        path=path,
        url=url,
        sha256=sha256.lower(),
        limit=limit,
        kind=kind,
        place=_place(source, (*place, "place"), at) if at else "",
        contexts=_contexts(source, (*place, "contexts"), at),
        fit_contexts=_contexts(source, (*place, "fit_contexts")),
    )


def _kind(path: str) -> Literal["vectors", "model", "missing"]:
    if path != BUILTIN and not Path(path).exists():
        return "missing"
    return "model" if is_model_folder(path) else "vectors"


def _place(source: TomlSource, place: Place, text: str) -> str:
    try:
        return str(parse_place(text))
    except UnslantError as error:
        raise source.error(place, str(error)) from error


def _contexts(source: TomlSource, place: Place, at: str = "") -> str:
    """The name of bundled contexts, the absolute path of a text file with one a line, or types().

    The path inside ``types(FILE)`` is made absolute too.
    """
    text = source.get(place, str, "")
    if at == "wordpieces" and text:
        raise source.error(place, "word pieces are measured without contexts; leave them out.")
    if not text or text in BUNDLED:
        return text
    corpus = corpus_of_types(text)
    path = source.path(corpus or text, place)
    if not Path(path).is_file():
        raise source.error(place, unknown("set of contexts (or text file)", text, BUNDLED))
    contexts = path if corpus is None else text.replace(corpus, path, 1)
    try:
        any_contexts_from(contexts)
    except UnslantError as error:
        raise source.error(place, str(error)) from error
    return contexts


def _path(source: TomlSource, place: tuple[str, ...], text: str) -> str:
    if text == BUILTIN:
        return BUILTIN
    if not text.strip() or "\0" in text:
        raise source.error(place, f'a path is missing; the vectors in the package are "{BUILTIN}".')
    path = source.path(text, place)
    if not Path(path).exists() and difflib.get_close_matches(text, [BUILTIN]):
        raise source.error(place, f'there is no file "{text}". Did you mean "{BUILTIN}"?')
    return path
