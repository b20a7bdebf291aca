"""Shared parts of commands: options, progress, output and error reporting."""

import errno
import io
import json
import os
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TextIO

import typer
from rich.text import Text

from unslant.cli.console import SafeConsole, write_in_any_encoding
from unslant.cli.interrupts import INTERRUPTED, SENTENCES, TERMINATED, Terminated, heeding_sigterm
from unslant.cli.streams import READER_LEFT, discard_output
from unslant.core.docstrings import check_docstrings
from unslant.core.errors import UnslantError, UnslantWarning
from unslant.core.files import Progress as OnProgress
from unslant.core.visible import visible

if TYPE_CHECKING:
    from unslant.vectors import WordVectors

out = SafeConsole()
err = SafeConsole(stderr=True)

# Newer versions of typer have a click of their own, so what it raises is found through typer.
_USAGE_ERROR: Any = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)
_SILENT_SECONDS = 1.0
_FULL = (errno.ENOSPC, errno.EDQUOT)


def complete_concept(incomplete: str) -> list[str]:
    """Bundled concepts whose names begin so."""
    from unslant.concepts import bundled_concepts

    return [name for name in bundled_concepts() if name.startswith(incomplete)]


def complete_methods(incomplete: str) -> list[str]:
    """Methods, and the next one of a chain, whose names begin so."""
    from unslant.cli.completion import methods

    return methods(incomplete)


FileArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE]",
        help="A file of word vectors, or the folder of a language model, also MODEL@PLACE; the "
        "built-in GloVe slice if omitted.",
        show_default=False,
    ),
]
ConceptOption = Annotated[
    str,
    typer.Option(
        "--concept",
        "-c",
        help="A bundled concept, or the path of a TOML file.",
        autocompletion=complete_concept,
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", help="Load only the first (most frequent) N words.")
]
OnlyOption = Annotated[
    Path | None, typer.Option("--only", help="Load only the words in this file, one per line.")
]
DuplicatesOption = Annotated[
    Literal["fail", "first"],
    typer.Option("--duplicates", help="What to do about a word with two different vectors."),
]
UndecodableOption = Annotated[
    Literal["fail", "drop"],
    typer.Option("--undecodable", help="What to do about a word that is not UTF-8."),
]
CacheOption = Annotated[
    bool,
    typer.Option(
        "--cache/--no-cache",
        help="Cache large files, and what a model gives for texts, for the next time.",
    ),
]
MissingOption = Annotated[
    Literal["fail", "drop", "balance"],
    typer.Option("--missing", help="What to do about words that are missing from the vectors."),
]
CaseOption = Annotated[
    Literal["exact", "lower", "any"],
    typer.Option("--case", help="Spellings to try after the exact one."),
]
ContextsOption = Annotated[
    str | None,
    typer.Option(
        "--contexts",
        help="Sentences that words are put into before a language model reads them: bleached, "
        "everyday, plain, or a text file with one sentence with {} per line; types(FILE) is the "
        "mean of each word over all sentences of a corpus.",
        show_default=False,
    ),
]
FitContextsOption = Annotated[
    str | None,
    typer.Option(
        "--fit-contexts",
        help="With --with, in a language model: sentences that the words that methods are fitted "
        "on are put into: everyday, bleached, plain, a text file with {} in each line, or "
        "types(FILE), the mean of each word over the sentences of a corpus.",
        show_default="everyday",
    ),
]
MethodOption = Annotated[
    str | None,
    typer.Option(
        "--with",
        "-w",
        help="Debias first, by a method or a chain: hard | misp; in a language model at its "
        "places: linear@layer:-1, or by training: cda(text=novels.txt)",
        autocompletion=complete_methods,
    ),
]
BaselineOption = Annotated[
    str | None,
    typer.Option("--baseline", help="The space to compare with, such as the one before debiasing."),
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Count and skip malformed lines instead of stopping.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of tables.")
]


@dataclass(frozen=True, kw_only=True)
class InputReading:
    """How files of vectors are read."""

    limit: int | None = None
    only: Path | None = None
    duplicates: str = "fail"
    undecodable: str = "fail"
    cache: bool = True

    def resource(self, file: str | None) -> "WordVectors | str":
        """Vectors as :meth:`vectors` loads them, or the name of a model or a place in one."""
        from unslant.studies.resources import is_model

        if file is None or not is_model(file):
            return self.vectors(file)
        for name in ("limit", "only"):
            if getattr(self, name) is not None:
                raise UnslantError(f"--{name} is for word vectors; {file} is a language model.")
        return file

    def vectors(self, file: str | None) -> "WordVectors":
        """Load vectors with a progress bar, and say on standard error what was odd about them."""
        from unslant.vectors import load

        words = _words_in(self.only) if self.only else None
        with progress_bar() as progress:
            vectors = load(
                file,
                limit=self.limit,
                only=words,
                duplicates=self.duplicates,
                undecodable=self.undecodable,
                cache=self.cache,
                progress=progress,
            )
        if file is not None:
            for remark in vectors.notes:
                err.print(Text(f"Note: {vectors.name}: {remark}.", style="yellow"))
        return vectors


def reading_of(
    limit: LimitOption = None,
    only: OnlyOption = None,
    duplicates: DuplicatesOption = "fail",
    undecodable: UndecodableOption = "fail",
    cache: CacheOption = True,
) -> InputReading:
    """How the options say that files are read."""
    return InputReading(
        limit=limit, only=only, duplicates=duplicates, undecodable=undecodable, cache=cache
    )


def _words_in(path: Path) -> list[str]:
    wanted = "--only takes a text file with one word on each line."
    try:
        if path.exists() and not path.is_file():
            raise UnslantError(f"{path} is not a file. {wanted}")
        return [word for word in path.read_text(encoding="utf-8").split("\n") if word]
    except OSError as error:
        raise UnslantError(f"Cannot read {path}: {error.strerror}. {wanted}") from error
    except UnicodeDecodeError as error:
        raise UnslantError(f"{path} is not UTF-8 text. {wanted}") from error


@contextmanager
def progress_bar() -> Iterator[OnProgress]:
    """A bar on standard error for work that takes more than a second."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,  # elsewhere it would leave empty lines
    )
    begun, tasks = time.monotonic(), {}

    def report(what: str, done: int, total: int) -> None:
        if time.monotonic() - begun < _SILENT_SECONDS:
            return
        if what not in tasks:
            bar.start()
            tasks[what] = bar.add_task(what, total=total or None)
        bar.update(tasks[what], completed=done)

    try:
        yield report
    finally:
        if tasks:  # a bar that was not begun would end in an empty line
            bar.stop()


def say(text: str) -> None:
    """A line of text on standard output, which no width breaks."""
    out.print(text, soft_wrap=True, highlight=False)


def note(text: str) -> None:
    """Print a remark on standard error, apart from the result."""
    err.print(Text(visible(text), style="yellow"), soft_wrap=True)


def say_skipped(lines: int) -> None:
    """Say on standard error how many malformed lines were left out, if any."""
    if lines:
        were = "line was" if lines == 1 else "lines were"
        note(f"Note: {lines:,} malformed {were} skipped; the record lists the first.")


def print_json(value: Any) -> None:
    """One JSON document on standard output, as strict JSON."""
    sys.stdout.write(json.dumps(value, indent=1, allow_nan=False) + "\n")


def run(app: typer.Typer, closed: Sequence[str] = ()) -> None:
    """Run the command line: mistakes of input exit with 2, bugs loudly.

    Ctrl-C exits with 130, SIGTERM with 143 and a reader that leaves early with 141, as shells
    have it. ``closed`` are standard streams that the shell closed.
    """
    write_in_any_encoding()
    warnings.showwarning = _show_warning
    with heeding_sigterm() as sigterm:
        try:
            if "stdout" in closed:
                note("Note: standard output is closed; only files are written.")
            _run(app, sigterm)
        except BrokenPipeError:
            _leave_the_pipe()
        except SystemExit as error:  # typer and rich make this of a broken pipe
            if isinstance(error.__context__, BrokenPipeError):
                _leave_the_pipe()
            raise


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning of ours as a sentence; those of libraries with the place that they are from."""
    if issubclass(category, UnslantWarning):
        note(f"Warning: {message}")
    else:
        text = warnings.formatwarning(message, category, filename, lineno, line)
        err.print(Text(text), end="", soft_wrap=True)


def _run(app: typer.Typer, sigterm: Terminated) -> None:
    try:
        check_docstrings()
        code = app(standalone_mode=False, prog_name="unslant")
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.stdout.flush()  # so that a full disk is reported here
        sys.exit(code)
    except _USAGE_ERROR as error:
        said = io.StringIO()
        error.show(said)
        err.print(Text(said.getvalue()), end="", soft_wrap=True)
        sys.exit(error.exit_code)
    except UnslantError as error:
        _fail(error.typed)
    except (KeyboardInterrupt, typer.Abort):
        stopped = TERMINATED if sigterm.came else INTERRUPTED
        err.print(SENTENCES[stopped])
        sys.exit(stopped)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno not in _FULL:
            _report_bug()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the rest is tried once more at the end
        _fail(f"Cannot write: {error.strerror}.")
    except Exception:
        _report_bug()


def _leave_the_pipe() -> NoReturn:
    """End without a word: the reader, such as head, has seen enough. Files are written before."""
    discard_output()
    sys.exit(READER_LEFT)


def _fail(message: str) -> NoReturn:
    err.print(Text.assemble(("Error: ", "bold red"), visible(message)), soft_wrap=True)
    sys.exit(2)


def _report_bug() -> NoReturn:
    """Print the whole traceback, whose messages may hold text from outside."""
    err.print(Text(traceback.format_exc()), end="", soft_wrap=True)
    sys.exit(1)
