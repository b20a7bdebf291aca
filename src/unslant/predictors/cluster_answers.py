"""Clusters that were made elsewhere: a file of texts with their clusters, looked up."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import sha256_of_file
from unslant.core.text_files import json_from
from unslant.core.visible import safe_cell
from unslant.datasets.coreference.document import Clusters
from unslant.predictors.answer_rows import answer_rows

WORDS, CLUSTERS = "words", "clusters"
_EXPECTED = "such as [[[0, 2], [7, 8]]]: each mention as its first word and the one after its last"


class ClusterAnswers:
    """A coreference model that looks its clusters up.

    The file is an export of the probe with one more column, ``clusters``: a list of clusters, each
    a list of mentions, each the number of its first word and of the one after its last, counted
    from 0. In .jsonl it is a list, in .csv the same as text.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        rows = answer_rows(self.path)
        self.name, self.sha256 = self.path.name, sha256_of_file(self.path)
        self._is_table = self.path.suffix == ".csv"
        self._found: dict[str, tuple[int, Clusters]] = {}
        for line, row in rows:
            self._add(line, row)

    def resolve(self, documents: Sequence[Sequence[str]]) -> list[Clusters]:
        """The clusters of each text; one that the file does not have is named."""
        found = []
        for words in documents:
            text = " ".join(words)
            key = safe_cell(text) if self._is_table else text
            if key not in self._found:
                raise UnslantError(
                    f'{self.path} has no clusters for "{text[:80]}". A score of the other texts '
                    f"alone would not be comparable; export the texts (--export) and resolve all."
                )
            found.append(self._found[key][1])
        return found

    def _add(self, line: int, row: Mapping[str, Any]) -> None:
        where = f"{self.path} line {line:,}"
        words = row.get(WORDS)
        if isinstance(words, list):
            words = " ".join(map(str, words))
        if not isinstance(words, str) or not words:
            raise UnslantError(
                f'{where} has no "{WORDS}". Each row needs {WORDS} as exported and {CLUSTERS}, '
                f"{_EXPECTED}."
            )
        clusters = _clusters(row.get(CLUSTERS), where)
        known = self._found.setdefault(words, (line, clusters))
        if known[1] != clusters:
            raise UnslantError(
                f"{where} gives other clusters to the text of line {known[0]:,}. Keep one of the "
                f"two."
            )


def _clusters(given: object, where: str) -> Clusters:
    """The clusters as they were given; whether they fit their text is checked when it is asked."""
    try:
        listed = json_from(given) if isinstance(given, str) else given
        if not isinstance(listed, list):
            raise TypeError
        return tuple(tuple((first, end) for first, end in cluster) for cluster in listed)
    except (TypeError, ValueError) as error:
        raise UnslantError(
            f'{where}: the "{CLUSTERS}" are {given!r:.60}; expected a list {_EXPECTED}.'
        ) from error
