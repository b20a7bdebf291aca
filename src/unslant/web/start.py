"""Bind, warm up, serve until stopped."""

import logging
import secrets
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.extras import extra_for
from unslant.web.address import bound, check_bind, hosts_of, name_of

if TYPE_CHECKING:
    from unslant.web.work import Desk

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
        bound(host, port) as listening,
    ):
        number = int(listening.getsockname()[1])
        address = f"http://{name_of(host, names)}:{number}/{f'?token={token}' if token else ''}"
        policy = Policy(
            hosts=hosts_of(host, number, names), page_token=secrets.token_hex(16), access=token
        )
        desk = Desk(given, known, Path(folder))
        warming = threading.Thread(target=_warm, args=(desk,), daemon=True)
        warming.start()
        try:
            _log_to_terminal()
            server = uvicorn.Server(server_config(application(desk, policy)))
            say(f"Unslant is at {address} — Ctrl-C ends it.")
            if ready:
                given_to = (server, ready, address)
                threading.Thread(target=_when_up, args=given_to, daemon=True).start()
            server.run(sockets=[listening])
        finally:
            desk.jobs.close(_LAST_SECONDS)
            warming.join(_LAST_SECONDS)  # libraries that draw abort where they are cut off


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
