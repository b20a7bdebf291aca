"""Bind, warm up, serve until stopped."""

import html
import ipaddress
import logging
import os
import re
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.core.extras import extra_for
from unslant.core.visible import VisibleFormatter
from unslant.web.door import SHORTEST, check_token

if TYPE_CHECKING:
    from unslant.web.work import Desk


# Where the server listens, a port or a Unix socket, and which host names it accepts.

_OTHERS = 0o177
PORT = 8642
_TRIED = 20
_USUAL_OF_HTTP = 80
_NAME = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def check_bind(host: str, names: Sequence[str], token: str | None) -> None:
    """Refuse to listen where others could ask without having to prove anything."""
    if token is not None:
        check_token(token)
    for name in names:
        if not _NAME.fullmatch(name):
            raise UnslantError(
                f"--name takes the name of a machine, as in lab.example.org, not {name!r}."
            )
    if _is_loopback(host):
        return
    if token is None:
        raise UnslantError(
            f"{host} can be reached from other machines. Put a token of at least {SHORTEST} "
            f"letters and digits into a file and name it with --token-file, or leave out --host."
        )
    if _is_wildcard(host) and not names:
        raise UnslantError(
            f"{host} means every interface. Name the hosts that the page will be asked for by, "
            f"as in --name lab.example.org"
        )


def hosts_of(host: str, port: int, names: Sequence[str]) -> frozenset[str]:
    """The accepted Host headers; browsers leave out the default port."""
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


def name_of(host: str, names: Sequence[str]) -> str:
    """The host name in the printed address."""
    return names[0] if names else _bracketed(host)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def bound(host: str, port: int | None) -> socket.socket:
    """A socket on the requested port, or on the first free one from the default upwards."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in range(PORT, PORT + _TRIED) if port is None else [port]:
        sock = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would let another program listen here too
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, number))
            sock.listen(64)
        except (OSError, OverflowError) as error:
            sock.close()
            reason = getattr(error, "strerror", None) or str(error)
        else:
            return sock
    which = f"Port {port}" if port is not None else f"No port from {PORT} to {PORT + _TRIED - 1}"
    can = "cannot" if port is not None else "can"
    raise UnslantError(f"{which} of {host} {can} be used: {reason}. Choose another with --port.")


@contextmanager
def listening_at(path: str) -> Iterator[socket.socket]:
    """A socket at a path with mode 0600; the path is free again afterwards."""
    if not hasattr(socket, "AF_UNIX"):
        raise UnslantError("This system has no Unix sockets. Leave out --socket.")
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(_OTHERS)  # from the first moment on, not after a chmod
    try:
        sock.bind(path)
        sock.listen(64)
    except OSError as error:
        sock.close()
        raise UnslantError(
            f"Cannot listen at {path}: {error.strerror or error}. Choose another path with "
            f"--socket, or remove what an earlier run left there."
        ) from error
    finally:
        os.umask(before)
    try:
        yield sock
    finally:
        sock.close()
        Path(path).unlink(missing_ok=True)


LOOPBACK = "127.0.0.1"
_FIRST_SECONDS = 60.0
_LAST_SECONDS = 10.0


def serve(
    paths: Sequence[str],
    *,
    concepts: Sequence[str] = (),
    host: str = LOOPBACK,
    port: int | None = None,
    names: Sequence[str] = (),
    token: str | None = None,
    socket_path: str | None = None,
    say: Callable[[str], None] = print,
    ready: Callable[[str], object] | None = None,
) -> None:
    """Serve the page until the process is interrupted.

    The printed address contains a key that works once (``web/door.py``). ``ready`` is called
    with the address of a file that leads there, once requests are answered: what starts a browser
    puts the address into the list of processes, which every user can read. From other machines the
    server can only be reached with a ``token``, and on all interfaces only under the ``names``
    given. ``socket_path`` is where to listen in the file system, in place of an interface.
    """
    what = "The page"
    uvicorn = extra_for(what, "uvicorn", "web")
    extra_for(what, "starlette", "web")
    check_bind(host, names, token)
    if socket_path is not None and host != LOOPBACK:
        raise UnslantError("--socket and --host cannot both be given: a socket has no host.")
    from unslant.web.app import application
    from unslant.web.door import Door
    from unslant.web.guard import Policy
    from unslant.web.opened import Concepts, sorted_out
    from unslant.web.work import Desk

    # All that can be refused is refused before anything listens.
    inputs, known = sorted_out(paths), Concepts(concepts)
    with (
        tempfile.TemporaryDirectory(prefix="unslant-", ignore_cleanup_errors=True) as folder,
        bound(host, port) if socket_path is None else listening_at(socket_path) as listening,
    ):
        number = int(listening.getsockname()[1]) if socket_path is None else port or PORT

        def address(key: str) -> str:
            return f"http://{name_of(host, names)}:{number}/?key={key}"

        door = Door(
            token=token,
            announce=lambda key: say(
                f"A browser without access asked for the page. If it is yours, open {address(key)}"
            ),
        )
        policy = Policy(hosts=hosts_of(host, number, names), door=door)
        desk = Desk(inputs, known, Path(folder))
        warming = threading.Thread(target=_warm, args=(desk,), daemon=True)
        warming.start()
        try:
            _log_to_terminal()
            server = uvicorn.Server(server_config(application(desk, policy)))
            if socket_path is not None:
                say(f"Unslant listens at {socket_path}, for you alone. From your own computer:")
                say(f"ssh -L {number}:{Path(socket_path).absolute()} THIS-COMPUTER")
            say(f"Open {address(door.key())} — it works once. Ctrl-C stops Unslant.")
            if ready:
                doorway = _doorway(Path(folder), address(door.key()))
                given_to = (server, ready, doorway.as_uri())
                threading.Thread(target=_when_up, args=given_to, daemon=True).start()
            server.run(sockets=[listening])
        finally:
            desk.jobs.close(_LAST_SECONDS)
            warming.join(_LAST_SECONDS)  # libraries that draw abort where they are cut off


def server_config(app: Any) -> Any:
    """How uvicorn runs: one protocol, no proxies, bounded headers and connections."""
    import uvicorn

    from unslant.web.connections import IDLE_SECONDS, MOST_CONNECTIONS, Connection

    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=32 << 10,
    )


def _doorway(folder: Path, address: str) -> Path:
    """A page in our own folder, which no other user can read, that leads to the address."""
    path = folder / "open.html"
    path.touch(mode=0o600)
    path.write_text(
        f'<!doctype html><meta http-equiv="refresh" content="0;url={html.escape(address)}">'
        f"<title>Unslant</title>\n",
        encoding="utf-8",
    )
    return path


def _log_to_terminal() -> None:
    """Log only failures, not refused requests."""
    handler = logging.StreamHandler()
    handler.setFormatter(VisibleFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[handler])


def _warm(desk: "Desk") -> None:
    """Make what the page needs first while the browser is still starting, and then the rest."""
    first = desk.begin()
    import altair  # noqa: F401

    from unslant.reports.html.shell import vega_script

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
