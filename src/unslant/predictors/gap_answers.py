"""Answers to GAP in the layout of its own scorer: an id, and TRUE or FALSE for both names."""

from collections.abc import Iterable
from pathlib import Path

from unslant.core.errors import UnslantError
from unslant.core.files import sha256_of_file
from unslant.datasets.coreference.gap import GapExample, read_gap_answers


class GapAnswers:
    """Answers from a .tsv, looked up by the ids of examples.

    An example without an answer is taken as FALSE for both names: a false negative only if one of
    them is true. ``missing`` counts them.
    """

    def __init__(self, path: Path, examples: Iterable[GapExample]) -> None:
        self.path, self.name, self.sha256 = path, path.name, sha256_of_file(path)
        self._answers = read_gap_answers(path)
        known = {one.id for one in examples}
        strange = [key for key in self._answers if key not in known]
        if strange:
            raise UnslantError(
                f'{path} has an answer to "{strange[0][:40]}", which is not in this part of GAP. '
                f"Name the part (--part)."
            )
        self.missing = len(known - set(self._answers))

    def said(self, example: GapExample) -> tuple[bool, bool]:
        """Whether the pronoun was said to refer to A, and to B."""
        return self._answers.get(example.id, (False, False))
