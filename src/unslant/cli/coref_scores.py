"""``unslant probe coref-scores``: predicted clusters compared with true ones."""

from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Column, Table
from unslant.datasets.coreference.conll2012 import read_documents
from unslant.datasets.coreference.document import CorefDocument
from unslant.measures.coreference_scores import NAMES, CorefScores
from unslant.reports.table_terminal import Drawn

_LABELS = {
    "muc": "MUC",
    "b_cubed": "B³",
    "ceaf_e": "CEAFφ4",
    "ceaf_m": "CEAFm",
    "blanc": "BLANC",
    "lea": "LEA",
    "mentions": "mentions found",
}


def coref_scores(
    key: Annotated[Path, typer.Argument(help="True clusters: a CoNLL-2012 file or folder.")],
    response: Annotated[Path, typer.Argument(help="Predicted clusters of the same documents.")],
    without_singletons: Annotated[
        bool,
        typer.Option(
            "--without-singletons", help="Drop clusters of one mention, on both sides alike."
        ),
    ] = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Compare predicted clusters with true ones: MUC, B³, CEAF, BLANC, LEA and the CoNLL mean.

    Example: unslant probe coref-scores gold.conll predicted.conll
    """
    with shared.progress_bar() as progress:
        scores = CorefScores(singletons=not without_singletons)
        for mine, theirs in _paired(read_documents(key, progress), read_documents(response), key):
            scores.add(mine.clusters, theirs.clusters)
    if not scores.key_mentions:
        raise UnslantError(
            f"{key} has no mentions{' in clusters of two' if without_singletons else ''}, so there "
            f"is nothing to score."
        )
    found = scores.to_dict()
    if as_json:
        shared.print_json(found)
        return
    rows: list[tuple[str | float, ...]] = []
    for name in NAMES:
        parts = (scores[name].recall, scores[name].precision, scores[name].f1)
        rows.append((_LABELS[name], *(100 * float(part) for part in parts)))
    rows.append(("CoNLL (mean of MUC, B³, CEAFφ4)", "", "", 100 * float(scores.conll)))
    heads = (Column(label=label, digits=2) for label in ("recall", "precision", "F1"))
    columns = (Column(label="score"), *heads)
    shared.out.print(Drawn(Table(id="scores", title="", columns=columns, rows=tuple(rows))))
    shared.out.print(
        f"{scores.documents:,} documents, {scores.key_mentions:,} true and "
        f"{scores.response_mentions:,} predicted mentions. Singletons: {found['singletons']}."
    )


def _paired(
    key: list[CorefDocument], response: list[CorefDocument], path: Path
) -> list[tuple[CorefDocument, CorefDocument]]:
    answers = {document.name: document for document in response}
    pairs = []
    for document in key:
        if document.name not in answers:
            raise UnslantError(
                f"The response has no document {document.name}, which is in {path}. A score of the "
                f"others alone would not be comparable."
            )
        other = answers.pop(document.name)
        mine, theirs = len(document.words), len(other.words)
        if mine != theirs:
            raise UnslantError(
                f"Document {document.name} has {mine:,} words in the key and {theirs:,} in the "
                f"response. Expected the same text, cut into the same words."
            )
        pairs.append((document, other))
    if answers:
        raise UnslantError(
            f"The response has a document {next(iter(answers))}, which is not in {path}."
        )
    return pairs
