"""Connections that say nothing make room for those that do.

Each connection takes one of a limited number of places. A stranger, which is one that has not
brought a cookie in its latest request, has little time to send a request, and strangers together
have fewer places than there are: when a new one needs a place, the one that has been there longest
loses its own. Browsers send their request at once, so they never wait for those who do not.
"""

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from unslant.web.guard import ADMITTED

HEADER_SECONDS = 10.0
IDLE_SECONDS = 15
MOST_CONNECTIONS = 64
MOST_STRANGERS = 32


class Connection(H11Protocol):
    """One connection, with a time limit for each request's headers."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._since = time.monotonic()
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, and have a stranger give up its own if there are too many."""
        super().connection_made(transport)
        self._expect_headers()
        every = [other for other in self.connections if isinstance(other, Connection)]
        strangers = [other for other in every if other.is_stranger]
        if len(strangers) > MOST_STRANGERS:
            min(strangers, key=lambda other: other._since).leave()

    def data_received(self, data: bytes) -> None:
        """Stop the clock when the headers are whole; a few bytes now and then do not."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._expect_nothing()
        else:
            self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give up the place."""
        self._expect_nothing()
        super().connection_lost(exc)

    @property
    def is_stranger(self) -> bool:
        """Whether the latest request, if there was one, brought no cookie of ours."""
        return self.scope is None or not self.scope.get(ADMITTED)

    def leave(self) -> None:
        """Close at once, whatever there is still to send."""
        self.connections.discard(self)  # now, not when the loop comes to it
        self.transport.abort()

    def _expect_headers(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.leave)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
