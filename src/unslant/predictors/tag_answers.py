"""Tags that were given elsewhere: a file of sentences with their tags, looked up."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unslant.core.errors import UnslantError
from unslant.core.files import sha256_of_file
from unslant.core.visible import safe_cell
from unslant.predictors.answer_rows import answer_rows

WORDS, TAGS = "words", "tags"


class TagAnswers:
    """A tagger that looks its tags up.

    The file is an export of the probe with one more column, ``tags``: as many tags as there are
    words, with a space between each (in .jsonl both may be lists).
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        rows = answer_rows(self.path)
        self.name, self.sha256 = self.path.name, sha256_of_file(self.path)
        self._is_table = self.path.suffix == ".csv"
        self._tags: dict[str, tuple[int, str]] = {}
        for line, row in rows:
            self._add(line, row)

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """The tags of each sentence; one that the file does not have is named."""
        found = []
        for words in sentences:
            text = " ".join(words)
            key = safe_cell(text) if self._is_table else text
            if key not in self._tags:
                raise UnslantError(
                    f'{self.path} has no tags for "{text[:80]}". A score of the other sentences '
                    f"alone would not be comparable; export the sentences (--export) and tag all."
                )
            found.append(tuple(self._tags[key][1].split(" ")))
        return found

    def _add(self, line: int, row: Mapping[str, Any]) -> None:
        where = f"{self.path} line {line:,}"
        words, tags = (_joined(row.get(column)) for column in (WORDS, TAGS))
        for column, text in ((WORDS, words), (TAGS, tags)):
            if not text:
                raise UnslantError(
                    f'{where} has no "{column}". Each row needs {WORDS} as exported and {TAGS}, '
                    f"with a space between each."
                )
        if words.count(" ") != tags.count(" "):
            raise UnslantError(
                f"{where}: {tags.count(' ') + 1} tags for {words.count(' ') + 1} words; expected "
                f"one for each, with a space between them."
            )
        known = self._tags.setdefault(words, (line, tags))
        if known[1] != tags:
            raise UnslantError(
                f"{where} gives other tags to the sentence of line {known[0]:,}. Keep one of the "
                f"two."
            )


def _joined(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return value if isinstance(value, str) else ""
