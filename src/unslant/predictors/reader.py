"""What a model that reads word vectors is: its weights, apart from the vectors."""

from typing import Any, Protocol, runtime_checkable

from unslant.vectors import WordVectors


@runtime_checkable
class Reader(Protocol):
    """Put on vectors, it is a predictor; so debiased vectors can be put under the same weights.

    It may also have ``name``, ``sha256`` and ``facts``, which go into the record.
    """

    def on(self, vectors: WordVectors) -> Any:
        """The predictor that reads these vectors."""
        ...
