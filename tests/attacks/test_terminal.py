"""Text from outside never steers the terminal: it is shown, with its controls written out."""

import json
import logging
import re
import struct
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from tests.local_server import serving
from tests.spaces import space
from unslant.cli.console import SafeConsole
from unslant.cli.shared import run
from unslant.cli.verbs import app
from unslant.core.visible import VisibleFormatter
from unslant.datasets.registry import Dataset
from unslant.vectors import load
from unslant.vectors.save import save

ESC, CSI, OSC = "\x1b[2J\x1b[31m", "\x9b2J", "\x1b]8;;http://evil.example\x1b\\x\x1b]0;pwned\x07"
BIDI = "\u202egnp\u2066\u200f\u061c"
HOSTILE = f"{ESC}{CSI}{OSC}{BIDI}\r\x08\x7f[/nothing][link=http://evil.example]x"

_OWN_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

Cli = Callable[..., str]


def assert_harmless(shown: str) -> None:
    """Nothing but lines, and colours of ours; those of the attacker are written out."""
    assert "\\x1b" in shown, "the hostile text was not shown at all"
    assert not _CONTROLS.findall(_OWN_COLOURS.sub("", shown))
    assert "\x1b[31mx" not in shown


@pytest.fixture(params=["piped", "coloured"])
def cli(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> Cli:
    """Runs a command and gives all that it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    if request.param == "coloured":
        monkeypatch.setenv("FORCE_COLOR", "1")

    def command(*args: str, code: int) -> str:
        monkeypatch.setattr(sys, "argv", ["unslant", *args])
        with pytest.raises(SystemExit) as ended:
            run(app)
        said = capsys.readouterr()
        assert (ended.value.code or 0) == code, said.err
        assert "Traceback" not in said.err
        return said.out + said.err

    return command


def safetensors(header: dict[str, object]) -> bytes:
    plain = json.dumps(header).encode()
    return struct.pack("<Q", len(plain)) + plain + bytes(16)


@pytest.mark.parametrize("verb", [("audit",), ("files", "doctor"), ("debias", "--apply")])
def test_a_safetensors_header(verb: tuple[str, ...], cli: Cli) -> None:
    tensor = {"dtype": HOSTILE, "shape": [1, 4], "data_offsets": [0, 16]}
    header: dict[str, object] = {"__metadata__": {"kind": HOSTILE}, "vectors": tensor}
    Path("v.safetensors").write_bytes(safetensors(header))
    assert_harmless(cli(*verb, "v.safetensors", code=1 if verb == ("files", "doctor") else 2))


@pytest.mark.parametrize("verb", ["audit", "files doctor", "export html"])
def test_a_file_name(verb: str, cli: Cli) -> None:
    name = HOSTILE.replace("/", "|") + ".txt"
    assert_harmless(cli(*verb.split(), name, code=1 if verb == "files doctor" else 2))
    if verb != "files doctor":  # which does not name a file that it can open
        Path(name).write_text("a 1 2\nb 1\n")
        assert_harmless(cli(*verb.split(), name, code=2))


def test_a_file_name_that_is_not_utf8(cli: Cli) -> None:
    shown = cli("audit", "\udcff\x1b[2J.txt", code=2)
    assert_harmless(shown)
    assert "\\udcff" in shown


def test_arguments_in_messages_of_usage(cli: Cli) -> None:
    assert_harmless(cli("audit", "a.txt", HOSTILE, code=2))
    assert_harmless(cli("audit", f"--{HOSTILE}", code=2))


def toml_text(text: str) -> str:
    """A text as TOML writes it: as JSON does, but for one character."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def test_the_title_caveats_and_names_of_a_concept(cli: Cli) -> None:
    quoted = toml_text(HOSTILE)
    Path("evil.toml").write_text(
        f"""
        name = {quoted}
        title = {quoted}
        about = {quoted}
        caveats = [{quoted}]
        groups = ["cat", "dog"]
        direction = "pair-difference(cat, dog)"
        words = {{ cat = ["cat"], dog = ["dog"] }}
        neutral = {{ jobs = ["nurse", {quoted}, "doctor", "baker"] }}
        """
    )
    assert_harmless(cli("list", "concepts", "evil.toml", code=0))
    assert_harmless(cli("audit", "-c", "evil.toml", "--no-quality", "--html", "a.html", code=0))


def test_words_of_the_vectors(cli: Cli) -> None:
    vectors, hostile = load(), HOSTILE.replace("\r", "")  # which no word may hold
    words = [hostile if word == "nurse" else word for word in vectors.words]
    save(space(words, vectors.matrix), Path("v.safetensors"))
    Path("c.toml").write_text(
        f"""
        name = "c"
        groups = ["he", "she"]
        direction = "pair-difference(he, she)"
        words = {{ he = ["he"], she = ["she"] }}
        neutral = {{ jobs = ["doctor", {toml_text(hostile)}] }}
        """
    )
    options = ("-c", "c.toml", "--no-quality", "--html", "a.html")
    assert_harmless(cli("audit", "v.safetensors", *options, code=0))


def test_what_a_server_answers(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(request: BaseHTTPRequestHandler) -> None:
        request.send_response_only(404, HOSTILE.replace("\r", "").encode().decode("latin-1"))
        request.end_headers()

    monkeypatch.delenv("UNSLANT_OFFLINE", raising=False)
    with serving(monkeypatch) as server:
        server.answer = refuse
        monkeypatch.setattr(Dataset, "address", property(lambda self: server.address))
        assert_harmless(cli("files", "fetch", "similarity/men", code=2))


def test_folders_and_expressions_in_messages(cli: Cli) -> None:
    assert_harmless(cli("study", "status", HOSTILE, code=2))
    assert_harmless(cli("measure", HOSTILE, code=2))


def test_a_bug_is_printed_whole_and_harmless(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(HOSTILE)

    monkeypatch.setattr(sys, "argv", ["unslant"])
    with pytest.raises(SystemExit) as ended:
        run(broken)  # type: ignore[arg-type]
    shown = capsys.readouterr().err
    assert ended.value.code == 1
    assert "Traceback" in shown
    assert "ZeroDivisionError" in shown
    assert_harmless(shown)


def renderables() -> dict[str, RenderableType]:
    table = Table(title=HOSTILE, caption=Text(HOSTILE))
    table.add_column(HOSTILE)
    table.add_row(HOSTILE)
    table.add_row(Text(HOSTILE, style="bold red"))
    return {
        "string": HOSTILE,
        "text": Text(HOSTILE, style="yellow"),
        "table": table,
        "group": Group(Padding(HOSTILE, 1), Panel(Text(HOSTILE), title=Text(HOSTILE))),
    }


@pytest.mark.parametrize("kind", renderables())
@pytest.mark.parametrize("is_wrapped", [True, False])
def test_nothing_that_can_be_printed_passes_by(
    kind: str, is_wrapped: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    console = SafeConsole()
    console.print(renderables()[kind], soft_wrap=not is_wrapped)
    console.write(HOSTILE)
    assert_harmless(capsys.readouterr().out)


def test_lines_of_the_log() -> None:
    record = logging.LogRecord("web", logging.ERROR, "f", 1, "%s", (HOSTILE,), None)
    assert_harmless(VisibleFormatter("%(message)s").format(record))
