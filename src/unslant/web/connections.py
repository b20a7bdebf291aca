"""Close silent or excess connections in favour of active ones.

Each connection takes one of a limited number of places. A stranger, which is one whose latest
request carried no secret, has little time to send a request, and strangers together have fewer
places than there are: when a new one needs a place, the peer that holds most of them loses its
oldest. A peer is a user of this machine where the system reveals the other end, and an
address elsewhere. So a flood by another user takes places from that user alone.
"""

import asyncio
import ipaddress
import socket
import struct
import time
from collections import Counter
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
        self.peer = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a slot, closing another peer's connection if there are too many."""
        super().connection_made(transport)
        self._expect_headers()
        self.peer = peer_of(
            transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        )
        every = [other for other in self.connections if isinstance(other, Connection)]
        strangers = [other for other in every if other.is_stranger]
        if len(strangers) > MOST_STRANGERS:
            [(crowd, _)] = Counter(other.peer for other in strangers).most_common(1)
            of_crowd = (other for other in strangers if other.peer == crowd)
            min(of_crowd, key=lambda other: other._since).leave()

    def data_received(self, data: bytes) -> None:
        """Stop the timeout once the headers are complete; a trickle of bytes does not."""
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
        """Whether the latest request, if there was one, carried no secret of ours."""
        return self.scope is None or not self.scope.get(ADMITTED)

    def leave(self) -> None:
        """Close immediately, dropping unsent data."""
        self.connections.discard(self)  # now, not when the loop comes to it
        self.transport.abort()

    def _expect_headers(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.leave)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def peer_of(there: Any, here: Any) -> str:
    """The peer of a connection: a user of this machine, or an address."""
    if not isinstance(there, tuple):
        return ""  # a Unix socket, which only its owner can open
    uid = _uid_of(there, here)
    return str(there[0]) if uid is None else f"uid {uid}"


# Linux reports the owner of the other end of a local connection, in microseconds and
# without privileges: sock_diag(7). /proc/net/tcp has it too, but lists all connections
# each time, which in a flood is what must not be done.
_SOCK_DIAG = 4
_BY_FAMILY = 20
_REQUEST = 1
_ESTABLISHED = 1
_HEAD = struct.Struct("=IHHII")
_ASKED = struct.Struct("=BBBBI")
_STATE_AT = _HEAD.size + 1
_UID_AT = _HEAD.size + 4 + 48 + 12


def _uid_of(there: Any, here: Any) -> int | None:
    """The user who owns the other end; None if it is remote or unknown."""
    if not hasattr(socket, "AF_NETLINK"):
        return None
    ends = [ipaddress.ip_address(end[0].partition("%")[0]) for end in (there, here)]
    plain = [getattr(end, "ipv4_mapped", None) or end for end in ends]
    family = socket.AF_INET6 if plain[0].version == 6 else socket.AF_INET
    query = _ASKED.pack(family, socket.IPPROTO_TCP, 0, 0, 1 << _ESTABLISHED)
    query += struct.pack("!HH", there[1], here[1])
    query += b"".join(end.packed.ljust(16, b"\0") for end in plain)
    query += bytes(4) + b"\xff" * 8  # on any interface, whatever its cookie
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
            kernel.setblocking(False)  # the answer is available when send returns
            kernel.send(_HEAD.pack(_HEAD.size + len(query), _BY_FAMILY, _REQUEST, 0, 0) + query)
            answer = kernel.recv(4096)
    except OSError:
        return None
    # A closed end has no owner, and would be reported as root's.
    if _HEAD.unpack_from(answer)[1] != _BY_FAMILY or answer[_STATE_AT] != _ESTABLISHED:
        return None
    return int(struct.unpack_from("=I", answer, _UID_AT)[0])
