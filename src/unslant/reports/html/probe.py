"""The page of a probe: what a model concludes from words that should not matter."""

from collections.abc import Iterator
from typing import Any

from unslant.core.files import Progress
from unslant.reports.answers import answer
from unslant.reports.figures.of_record import figures_of
from unslant.reports.html.shell import rendered
from unslant.reports.probe_words import head, short_name
from unslant.reports.words import Record


def probe_page(record: Record, progress: Progress | None = None) -> str:
    """The HTML of a probe, alone or before and after debiasing."""
    return rendered(
        "probe.html",
        figures_of(record),
        progress,
        record=record,
        sentences=answer(record),
        asked=list(head(record)),
        short_name=short_name,
        metrics=record.get("metrics", {}),
        again=list(_again(record)),
    )


def _again(record: Record) -> Iterator[tuple[str, Any]]:
    """What it takes to ask the same once more."""
    pairs = record["set"]
    yield "set", pairs["name"]
    yield "SHA-256 of the set", pairs["content_sha256"]
    yield "options of the set", pairs.get("options", {})
    yield "sources", pairs["references"]
    if record["vectors"]:
        yield "SHA-256 of the vectors", record["vectors"]["content_sha256"]
    if record["baseline"]:
        yield "SHA-256 of the baseline", record["baseline"]["content_sha256"]
    for model in record["models"]:
        if model["sha256"] is None:
            yield "model", model["model"]
            continue
        what = f"model of {model['vectors']}"
        if model["expression"]:
            what += f" ({model['expression']})"
        yield what, f"{model['model']}, SHA-256 {model['sha256']}"
    yield "about the model", record["models"][0]["note"]
    policy = record["policy"]
    yield "missing words", f"{policy['missing']}; spelling: {policy['case']}"
    yield "seed", record["seed"]
    yield "resamples", record["resamples"]
    yield from record["provenance"].items()
