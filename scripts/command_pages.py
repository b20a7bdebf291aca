"""The command reference: the help of every command, and what its examples really print.

python -m scripts.command_pages outputs.json    # runs the examples, unless the file is up to date

`make docs` runs the examples and puts their outputs into the pages; without outputs, as in the
tests of the site, pages have the help and the examples alone. Examples run one after another in an
empty folder, on what the package has, on the small files that command_inputs.py makes, on a real
encoder in the folder that UNSLANT_MODELS names, and on the benchmarks in that of UNSLANT_DATA.
"""

import hashlib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import typer
from scripts.command_examples import EXAMPLES, SETUP
from scripts.command_inputs import fetched, make_inputs

from unslant.cli.app import main as unslant
from unslant.cli.verbs import app

_MOST_LINES = 60
_WIDTH = "100"
ROOT = Path(__file__).parents[1]
_DATA = os.environ.get("UNSLANT_DATA", "")
_SAY_NO = ("check", "recommend", "files")
"""Commands that end with 1 if the answer is no."""
_ABOUT = """# Commands

Every command with its help and an example.
"""


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command and group, without hidden ones, groups before what is in them."""
    command = command or typer.main.get_command(app)
    if path:
        yield path
    if hasattr(command, "list_commands"):
        context = typer.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if not inner.hidden:
                yield from commands(inner, (*path, name))


def printed(line: str) -> str:
    """What a command prints, in this process; it must end well."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    before, sys.argv = sys.argv, shlex.split(line)
    code: Any = 0
    try:
        with redirect_stdout(out), redirect_stderr(io.StringIO()) as said:
            unslant()
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.argv = before
    if code and not (code == 1 and line.split()[1] in _SAY_NO):
        raise SystemExit(f"{line} ended with {code}: {said.getvalue()}")
    text = out.buffer.getvalue().decode().rstrip()
    return "\n".join(item.rstrip() for item in text.splitlines())


def served(line: str) -> str:
    """What a server prints until it is told to stop, without the key to it."""
    words = [sys.executable, "-m", *shlex.split(line)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        first = server.stdout.readline()
        server.send_signal(signal.SIGINT)
        rest = server.stdout.read()
    return re.sub(r"(?<=key=)\S+", "…", first + rest).rstrip()


def help_of(path: Iterable[str]) -> str:
    """The help of a command, under the name that it has when it is installed."""
    return printed(shlex.join(["unslant", *path, "--help"]))


@contextmanager
def empty_folder(*, has_inputs: bool = True) -> Iterator[Path]:
    """A folder with the inputs of the examples, in which commands find nothing else."""
    before, known = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        os.environ |= {"COLUMNS": _WIDTH, "UNSLANT_CACHE": "cache", "NO_COLOR": "1"}
        os.environ.pop("UNSLANT_DATA", None)
        try:
            if has_inputs:
                make_inputs(Path(name), ROOT)
            yield Path(name)
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(known)


_WITH_DATA = re.compile(r"unslant (inspect heads|files fetch|probe (stereoset|crows|aul|wino|gap))")


@contextmanager
def real_data(line: str) -> Iterator[None]:
    """The benchmarks for a command that asks them; all others do without."""
    if not _WITH_DATA.match(line):
        yield
        return
    if not _DATA:
        raise SystemExit(f"Set UNSLANT_DATA to a folder with the data for: {line}")
    os.environ["UNSLANT_DATA"] = _DATA
    try:
        if line.startswith("unslant files fetch"):
            fetched(line.split()[-1])
        yield
    finally:
        del os.environ["UNSLANT_DATA"]


def page_of(path: tuple[str, ...], inner: Mapping[str, str], outputs: Mapping[str, str]) -> str:
    """The page of one command: its help, its examples and, for a group, links to what is in it."""
    name = " ".join(path)
    parts = [f"# unslant {name}", _block(help_of(path))]
    for line in EXAMPLES.get(name, ()):
        parts += [f"```sh\n{line}\n```"]
        parts += [_block(_cut(outputs[line]))] if outputs.get(line) else []
    return "\n\n".join([*parts, *([_table(inner)] if inner else [])]) + "\n"


def file_of(path: tuple[str, ...], groups: Collection[tuple[str, ...]]) -> str:
    """Where the page of a command is; a group has a folder.

    >>> file_of(("audit",), ()), file_of(("study",), {("study",)}), file_of(("study", "run"), ())
    ('audit.md', 'study/index.md', 'study/run.md')
    """
    return "/".join(path) + ("/index.md" if path in groups else ".md")


def pages(outputs: Mapping[str, str]) -> dict[str, str]:
    """All pages by file name, with the outputs of examples as far as there are any."""
    paths = list(commands())
    groups = {path[:-1] for path in paths}
    with empty_folder(has_inputs=False):
        summaries = {path: _first(help_of(path)) for path in paths}
        made = {
            file_of(path, groups): page_of(path, _links(summaries, groups, path), outputs)
            for path in paths
        }
        top = _block(printed("unslant --help"))
    listed = _table(_links(summaries, groups, ()))
    made["index.md"] = f"{_ABOUT}\n{listed}\n\n## unslant\n\n{top}\n"
    return made


def _links(
    told: Mapping[tuple[str, ...], str],
    groups: Collection[tuple[str, ...]],
    above: tuple[str, ...],
) -> dict[str, str]:
    """For each command in a group a link to its page, seen from that of the group."""
    folder = "".join(f"{name}/" for name in above)
    return {
        f"[{path[-1]}]({file_of(path, groups).removeprefix(folder)})": does
        for path, does in told.items()
        if path[:-1] == above
    }


def _table(rows: Mapping[str, str]) -> str:
    lines = (f"| {link} | {does} |" for link, does in rows.items())
    return "\n".join(["| command | what it does |", "|---|---|", *lines])


def run_examples() -> dict[str, str]:
    """What each example prints, in their order, after those that others need."""
    outputs = {}
    with empty_folder():
        for line in dict.fromkeys(
            [*SETUP, *(line for lines in EXAMPLES.values() for line in lines)]
        ):
            began = time.monotonic()
            outputs[line] = run_example(line)
            print(f"{time.monotonic() - began:6.1f} s  {line}", file=sys.stderr, flush=True)
    return outputs


def run_example(line: str) -> str:
    """What one example prints in the folder that is current; it must end well."""
    with real_data(line):
        return served(line) if line.startswith("unslant serve") else printed(line)


def _block(text: str) -> str:
    return f"```text\n{text}\n```"


def _cut(text: str) -> str:
    """The first lines of an output, with how many follow, without what differs between runs."""
    text = re.sub(r"\d+ files, [\d.]+ (?=[kMG]?B)", "… files, … ", text)
    text = without_seconds(text)
    lines = text.splitlines()
    more = len(lines) - _MOST_LINES
    return text if more <= 5 else "\n".join([*lines[:_MOST_LINES], f"… and {more} more lines"])


def without_seconds(text: str) -> str:
    """Tables whose last column has seconds, with that column empty."""

    def emptied(table: re.Match[str]) -> str:
        return re.sub(r" +[\d.,]+ *$", "", table[0], flags=re.MULTILINE)

    return re.sub(r"^ .* seconds *\n ─+ *\n(?:  .*\n)*", emptied, text, flags=re.MULTILINE)


def _first(text: str) -> str:
    """The first sentence of a help text."""
    paragraph = text.split("\n\n")[1]
    sentence = re.split(r"(?<=[.?]) ", " ".join(paragraph.split()))[0]
    return sentence if sentence.endswith(("?", ".")) else f"{sentence}."


def _content() -> str:
    """A hash of the code and the examples, on which outputs depend."""
    digest = hashlib.sha256()
    for path in sorted([*(ROOT / "src").rglob("*.*"), *(ROOT / "scripts").glob("command_*.py")]):
        if path.suffix != ".pyc":
            digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def saved_outputs(path: Path) -> dict[str, str]:
    """The outputs in a file, or none if they are of other code."""
    if not path.is_file():
        return {}
    saved = json.loads(path.read_text("utf-8"))
    outputs: dict[str, str] = saved["outputs"]
    return outputs if saved["content"] == _content() else {}


def main() -> None:
    """Run all examples and save their outputs, unless those of this code are there."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell
        signal.signal(signal.SIGINT, signal.default_int_handler)  # or no server would stop
    path = Path(sys.argv[1]).resolve()
    if not saved_outputs(path):
        content = _content()
        path.write_text(json.dumps({"content": content, "outputs": run_examples()}), "utf-8")


if __name__ == "__main__":
    main()
