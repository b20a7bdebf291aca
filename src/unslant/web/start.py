"""Bind, warm up, serve until stopped: the loopback interface unless told otherwise."""

import ipaddress
import logging
import os
import re
import secrets
import socket
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.core.extras import extra_for

if TYPE_CHECKING:
    from unslant.web.work import Desk

PORT = 8642
_TRIED = 20
_USUAL_OF_HTTP = 80
_NAME = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_SHORTEST_TOKEN = 16
_FIRST_SECONDS = 60.0
_LAST_SECONDS = 10.0


def serve(
    paths: Sequence[str],
    *,
    concepts: Sequence[str] = (),
    host: str = "127.0.0.1",
    port: int | None = None,
    names: Sequence[str] = (),
    token: str | None = None,
    say: Callable[[str], None] = print,
    ready: Callable[[str], object] | None = None,
) -> None:
    """Serve the page until the process is interrupted.

    ``ready`` is called with the address once requests are answered. From other machines the server
    can only be reached with a ``token``, and on all interfaces only under the ``names`` given.
    """
    what = "The page"
    uvicorn = extra_for(what, "uvicorn", "web")
    extra_for(what, "starlette", "web")
    check_bind(host, names, token)
    from unslant.web.app import application
    from unslant.web.concept_index import Concepts
    from unslant.web.given import sorted_out
    from unslant.web.guard import Policy
    from unslant.web.work import Desk

    # All that can be refused is refused before anything listens.
    given, known = sorted_out(paths), Concepts(concepts)
    with (
        tempfile.TemporaryDirectory(prefix="unslant-", ignore_cleanup_errors=True) as folder,
        _bound(host, port) as bound,
    ):
        number = int(bound.getsockname()[1])
        address = f"http://{_shown(host, names)}:{number}/{f'?token={token}' if token else ''}"
        policy = Policy(
            hosts=hosts_of(host, number, names), page_token=secrets.token_hex(16), access=token
        )
        desk = Desk(given, known, Path(folder))
        warming = threading.Thread(target=_warm, args=(desk,), daemon=True)
        warming.start()
        _log_to_terminal()
        server = uvicorn.Server(server_config(application(desk, policy)))
        say(f"Unslant is at {address} — Ctrl-C ends it.")
        if ready:
            threading.Thread(target=_when_up, args=(server, ready, address), daemon=True).start()
        try:
            server.run(sockets=[bound])
        finally:
            desk.jobs.close(_LAST_SECONDS)
            warming.join(_LAST_SECONDS)  # libraries that draw abort where they are cut off


def check_bind(host: str, names: Sequence[str], token: str | None) -> None:
    """Refuse to listen where others could ask without having to prove anything."""
    if token is not None and (
        len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isalnum()
    ):
        raise UnslantError(
            f"A token needs at least {_SHORTEST_TOKEN} letters and digits, and nothing else."
        )
    for name in names:
        if not _NAME.fullmatch(name):
            raise UnslantError(
                f"--name takes the name of a machine, as in lab.example.org, not {name!r}."
            )
    if _is_loopback(host):
        return
    if token is None:
        raise UnslantError(
            f"{host} can be reached from other machines. Add --token with at least "
            f"{_SHORTEST_TOKEN} letters and digits, or leave out --host."
        )
    if _is_wildcard(host) and not names:
        raise UnslantError(
            f"{host} means every interface. Name the hosts that the page will be asked for by, "
            f"as in --name lab.example.org"
        )


def hosts_of(host: str, port: int, names: Sequence[str]) -> frozenset[str]:
    """What the Host header of a request may say; browsers leave out the port that is usual."""
    known = [*names, *(_LOOPBACK_NAMES if _is_loopback(host) else ())]
    if not _is_wildcard(host):
        known.append(_bracketed(host))
    lower = [name.lower() for name in known]
    bare = lower if port == _USUAL_OF_HTTP else []
    return frozenset([*(f"{name}:{port}" for name in lower), *bare])


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def _shown(host: str, names: Sequence[str]) -> str:
    return names[0] if names else _bracketed(host)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _bound(host: str, port: int | None) -> socket.socket:
    """A socket on the port asked for, or on the first free one from the usual on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(PORT, PORT + _TRIED) if port is None else [port]:
        made = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would let another program listen here too
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, number))
            made.listen(64)
        except (OSError, OverflowError) as error:
            made.close()
            reason = getattr(error, "strerror", None) or str(error)
        else:
            return made
    which = f"Port {port}" if port is not None else f"No port from {PORT} to {PORT + _TRIED - 1}"
    can = "cannot" if port is not None else "can"
    raise UnslantError(f"{which} of {host} {can} be used: {reason}. Choose another with --port.")


def server_config(app: Any) -> Any:
    """How uvicorn runs: one protocol, no proxies, bounded headers and connections."""
    import uvicorn

    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=64,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=32 << 10,
    )


def _log_to_terminal() -> None:
    """Only what went wrong is said; a request that was refused is not."""
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s: %(message)s")


def _warm(desk: "Desk") -> None:
    """Make what the page needs first while the browser is still starting, and then the rest."""
    first = desk.begin()
    import altair  # noqa: F401

    from unslant.reports.html.vega import vega_script

    vega_script()
    desk.jobs.wait(first, _FIRST_SECONDS)
    import scipy.special  # noqa: F401 — for the intervals of own words


def _when_up(server: Any, ready: Callable[[str], object], address: str) -> None:
    waiting = threading.Event()
    while not server.started:
        waiting.wait(0.02)
        if server.should_exit:
            return
    ready(address)
