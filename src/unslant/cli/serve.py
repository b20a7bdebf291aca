"""``unslant serve``: the page, on this machine."""

import os
import signal
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from unslant.cli import shared


def run(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STUDY_DIR | RECORD.json | MODEL | FILES…]",
            help="A study, records, folders of language models, or files of word vectors; the "
            "built-in slice is always there.",
            show_default=False,
        ),
    ] = None,
    concepts: Annotated[
        list[Path] | None,
        typer.Option("--concept", "-c", help="A concept of your own (TOML); may be repeated."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", help="The port (the first free one from 8642 if omitted).", min=0, max=65535
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    names: Annotated[
        list[str] | None,
        typer.Option("--name", help="A name of this machine that requests may use; repeatable."),
    ] = None,
    token: Annotated[str | None, typer.Option("--token", hidden=True)] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            help="A file with a token that opens the page at /?token=…, more than once; "
            "also taken from UNSLANT_TOKEN. Needed with --host.",
        ),
    ] = None,
    socket: Annotated[
        str | None,
        typer.Option(
            "--socket", metavar="PATH", help="Listen at a Unix socket that only you can open."
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Explore and debias vectors in the browser, on a page that only you can open.

    Example: unslant serve glove.6B.300d.txt

    A study: unslant serve RESULTS

    A language model: unslant serve MODEL
    """
    from unslant.web.door import refuse_on_the_command_line, token_from
    from unslant.web.start import serve

    refuse_on_the_command_line(token)
    _clear_away_when_ended()
    try:
        serve(
            paths or [],
            concepts=[str(path) for path in concepts or ()],
            host=host,
            port=port,
            names=names or (),
            token=token_from(token_file),
            socket_path=socket,
            say=shared.say,
            ready=webbrowser.open if browser and not socket and _has_screen() else None,
        )
    except KeyboardInterrupt:
        shared.out.print("Stopped.")


def _clear_away_when_ended() -> None:
    """Stop as for Ctrl-C where a signal would end us before files are cleared away.

    The second is sent when the terminal is closed; where it is ignored (nohup) it stays so.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def _has_screen() -> bool:
    """Whether a browser would open a window, not take over the terminal."""
    return sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
