"""How a test notes its figures for the table of promises (the fixture ``tally``)."""

from typing import Protocol


class Tally(Protocol):
    """Notes how often a promise was tried and broken, and the worst time and memory.

    ``said`` is a remark for the table.
    """

    def __call__(
        self,
        tried: int,
        *,
        broken: int = 0,
        seconds: float | None = None,
        mebibytes: float | None = None,
        said: str = "",
    ) -> None: ...
