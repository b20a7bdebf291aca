"""The ``unslant`` command with all its verbs."""

import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Annotated, Any

import typer

from unslant.cli.components import command_with
from unslant.cli.lazy_commands import Lazy, LazyGroup, Sections, group_of
from unslant.cli.shared import say
from unslant.core.provenance import LIBRARIES
from unslant.core.registry import Entry
from unslant.core.version import __version__

FOR_DEVELOPERS = ("dev", "lm-tests", "bench", "docs")
"""Extras that users do not need."""
_EXTRA = re.compile(r"""^([A-Za-z0-9._-]+).*;.*extra\s*==\s*["']([a-z-]+)["']""")
_SETTINGS = ("UNSLANT_CACHE", "UNSLANT_DATA", "UNSLANT_MODELS", "OMP_NUM_THREADS")


def _metrics() -> Iterable[Entry[Any]]:
    from unslant.measures.registry import metrics

    return metrics()


SECTIONS: Sections = {
    "Workflow, in this order": {
        "audit": Lazy("audit:run"),
        "recommend": Lazy("recommend:run"),
        "debias": Lazy("debias:run"),
        "check": Lazy("check:run"),
        "card": Lazy("card:run"),
    },
    "Measure and compare": {
        "measure": Lazy("measure:run", cls=command_with(_metrics, "Metrics")),
        "probe": Lazy("probe:app"),
        "study": LazyGroup(
            "Run grids of resources × methods × measures: one plan, one command, resumable.",
            {
                "run": Lazy("study:run_plan"),
                "resume": Lazy("study:resume"),
                "status": Lazy("study_cells:show_status"),
                "correlate": Lazy("study_answers:show_correlations"),
                "rank": Lazy("study_answers:show_ranking"),
                "best": Lazy("study_answers:show_best"),
                "diff": Lazy("study_answers:show_differences"),
                "show": Lazy("study_cells:show_cell"),
                "recompute": Lazy("study_cells:recompute"),
            },
        ),
        "serve": Lazy("serve:run"),
    },
    "Look up and inspect": {
        "list": LazyGroup(
            "List metrics, methods, probes, directions, concepts, words and data, or describe one.",
            {
                "metrics": Lazy("list_components:list_metrics"),
                "methods": Lazy("list_components:list_methods"),
                "probes": Lazy("list_components:list_probes"),
                "directions": Lazy("list_components:list_directions"),
                "concepts": Lazy("list_data:list_concepts"),
                "words": Lazy("list_data:list_words"),
                "data": Lazy("list_data:list_data"),
            },
            bare="list_data:list_kinds",
        ),
        "inspect": LazyGroup(
            "Look inside a language model or a set of vectors: places, layers, heads, directions.",
            {
                "places": Lazy("places:run"),
                "layers": Lazy("layers:layers"),
                "heads": Lazy("layers:heads"),
                "re-emergence": Lazy("layers:re_emergence"),
                "subspace": Lazy("subspace:run"),
            },
        ),
        "export": LazyGroup(
            "Turn a saved record or a study into a page, figures or a table.",
            {
                "html": Lazy("export:html"),
                "figures": Lazy("export:figures"),
                "table": Lazy("export:table"),
            },
        ),
    },
    "Train models and manage files": {
        "train": LazyGroup(
            "Train word vectors from text, and the models that probes query.",
            {
                "nli": Lazy("train_nli:nli"),
                "heads": Lazy("train_heads:heads"),
                "ner": Lazy("train_ner:ner"),
                "sentiment": Lazy("train_sentiment:sentiment"),
                "coref": Lazy("train_coref:coref"),
                "glove": Lazy("train_glove:glove"),
                "gn-glove": Lazy("train_glove:gn_glove"),
            },
        ),
        "files": LazyGroup(
            "Check, convert and download files, swap group words in text, manage the cache.",
            {
                "doctor": Lazy("files:doctor"),
                "convert": Lazy("files:convert"),
                "fetch": Lazy("files:fetch"),
                "swap": Lazy("swap:run"),
                "cache": Lazy("files:cache"),
            },
        ),
    },
}

app = typer.Typer(
    name="unslant",
    cls=group_of(SECTIONS),
    help="Measure and remove social bias in word embeddings and language models.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        for line in version_lines():
            say(line)
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show version and environment details for bug reports.",
        ),
    ] = False,
) -> None:
    """Measure and remove social bias in word embeddings and language models."""


def version_lines() -> Iterator[str]:
    """One line for each kind of fact; folders are not named, as they may be private."""
    yield f"unslant {__version__}"
    yield f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield "Libraries: " + ", ".join(map(_installed, LIBRARIES))
    for extra, libraries in _extras().items():
        yield f"Extra {extra}: " + ", ".join(map(_installed, libraries))
    encoding = getattr(sys.stdout, "encoding", None) or "unknown"
    yield f"Terminal: {encoding}, {os.cpu_count()} processors"
    given = [name for name in _SETTINGS if name in os.environ]
    yield "Settings: " + (", ".join(given) or "none")


def _installed(library: str) -> str:
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return f"{library} is not installed"


def _extras() -> dict[str, list[str]]:
    """The libraries of each extra, as the installed package declares them."""
    found: dict[str, list[str]] = {}
    for line in requires("unslant") or ():
        if (match := _EXTRA.match(line)) and match[2] not in FOR_DEVELOPERS:
            found.setdefault(match[2], []).append(match[1])
    return found
