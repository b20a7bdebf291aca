"""Bind, warm up, serve until stopped."""

import html
import logging
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import UnslantError
from unslant.core.extras import extra_for
from unslant.core.visible import VisibleFormatter
from unslant.web.address import PORT, bound, check_bind, hosts_of, listening_at, name_of

if TYPE_CHECKING:
    from unslant.web.work import Desk

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
    from unslant.web.concepts import Concepts
    from unslant.web.door import Door
    from unslant.web.guard import Policy
    from unslant.web.opened import sorted_out
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
