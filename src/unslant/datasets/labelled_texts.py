"""Texts with one label each, such as SST or reviews: tab-separated or comma-separated tables."""

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from unslant.core.errors import FileFormatError
from unslant.core.files import sha256_of_file
from unslant.core.text_files import small_text

_LARGEST_FILE = 1 << 30
_TEXTS = ("text", "sentence", "review")
_LABELS = ("label", "sentiment")
_NUMBERED = {"0": "negative", "1": "positive"}
"""What SST and GLUE write for the two labels."""


@dataclass(frozen=True)
class LabelledTexts:
    """Texts, the label of each, and where they are from."""

    texts: tuple[str, ...]
    labels: tuple[str, ...]
    record: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def content_hash(self) -> str:
        """A hash of the texts and labels."""
        rows = "\n".join(
            f"{label}\t{text}" for label, text in zip(self.labels, self.texts, strict=True)
        )
        return hashlib.sha256(rows.encode()).hexdigest()


def read_labelled_texts(path: Path) -> LabelledTexts:
    """The texts in a table (.tsv or .csv) whose first line names a text and a label column.

    Labels 0 and 1 are read as negative and positive, as in SST.
    """
    try:
        content = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error
    is_tsv = path.suffix == ".tsv" or "\t" in content.split("\n", 1)[0]
    lines = content.split("\n")
    rows = (
        csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if is_tsv
        else csv.DictReader(lines)
    )
    columns = rows.fieldnames or ()
    text = next((name for name in _TEXTS if name in columns), None)
    label = next((name for name in _LABELS if name in columns), None)
    if text is None or label is None:
        raise FileFormatError(
            f"{path} is not a table of labelled texts. Expected a first line that names a column "
            f"{' or '.join(_TEXTS)} and a column {' or '.join(_LABELS)}."
        )
    texts, labels = [], []
    for row in rows:
        said, named = (row[text] or "").strip(), (row[label] or "").strip().lower()
        if not said or not named:
            raise FileFormatError(
                f"{path} line {rows.line_num:,}: expected a text and a label. Found "
                f"{said[:30]!r} and {named[:30]!r}."
            )
        texts.append(said)
        labels.append(_NUMBERED.get(named, named))
    if not texts:
        raise FileFormatError(f"{path} contains no text.")
    record = {"file": path.name, "sha256": sha256_of_file(path), "texts": len(texts)}
    return LabelledTexts(tuple(texts), tuple(labels), record)
