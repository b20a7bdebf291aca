"""``unslant files swap``: the words of two groups swapped in text."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from unslant.cli import shared
from unslant.concepts.swap import Swapped, swap_of
from unslant.core.errors import UnslantError


def run(
    text: Annotated[
        str | None,
        typer.Argument(
            help="The text, or - to read lines from standard input.", show_default=False
        ),
    ] = None,
    concept: shared.ConceptOption = "gender",
    file: Annotated[
        Path | None,
        typer.Option("--file", help="Swap every line of this text file.", show_default=False),
    ] = None,
    names: Annotated[bool, typer.Option(help="Swap first names too.")] = True,
    certain: Annotated[
        bool,
        typer.Option(
            "--certain", help="Print only texts that were changed and have no ambiguous word."
        ),
    ] = False,
    as_json: shared.JsonOption = False,
) -> None:
    """Swap the words of a concept's two groups in English text, such as she and he.

    The swapped text goes to standard output, what is not certain to standard error.

    Examples: unslant files swap "She lost her keys."; unslant files swap --file texts.txt --certain
    """
    if (text is None) == (file is None):
        raise UnslantError(
            'Give a text, as in unslant files swap "She left.", or --file FILE, or -.'
        )
    swap = swap_of(concept, names)
    texts = [text] if text not in (None, "-") else _lines(file)
    results = (swap(str(item)) for item in texts)
    chosen = (item for item in results if not certain or (item.is_certain and item.count))
    if as_json:
        shared.print_json({"concept": swap.concept, "texts": [_plain(item) for item in chosen]})
        return
    counts: Counter[str] = Counter()
    for item in chosen:
        shared.out.write(item.text + "\n")
        counts[_kind(item)] += 1
        if text not in (None, "-"):
            _note_doubts(item)
    _note_counts(counts, swap.concept, is_one=text not in (None, "-"))


def _lines(file: Path | None) -> Iterator[str]:
    try:
        if file is None:
            yield from (line.rstrip("\n") for line in sys.stdin)
            return
        with file.open(encoding="utf-8") as stream:
            yield from (line.rstrip("\n") for line in stream)
    except OSError as error:
        raise UnslantError(f"Cannot read {file}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnslantError(f"{file or 'Standard input'} is not UTF-8 text.") from error


def _kind(item: Swapped) -> str:
    if not item.is_certain:
        return "ambiguous"
    return "swapped" if item.count else "unchanged"


def _note_doubts(item: Swapped) -> None:
    for word in item.words:
        if word.status != "certain":
            change = f"{word.old} → {word.new}" if word.is_changed else word.old
            shared.note(f"{word.status.capitalize()}: {change} ({word.reason}).")


def _note_counts(counts: Counter[str], concept: str, *, is_one: bool) -> None:
    if is_one:
        if counts["unchanged"] or not counts:
            shared.note(f"Nothing was swapped: no certain word of {concept} was found.")
        return
    shared.note(
        f"{counts.total():,} lines: {counts['swapped']:,} swapped with certainty, "
        f"{counts['ambiguous']:,} with an ambiguous word, {counts['unchanged']:,} unchanged."
    )


def _plain(item: Swapped) -> dict[str, Any]:
    words: Iterable[dict[str, Any]] = [
        {
            "start": word.start,
            "end": word.end,
            "old": word.old,
            "new": word.new,
            "status": word.status,
            "reason": word.reason,
        }
        for word in item.words
    ]
    return {
        "text": item.text,
        "certain": item.is_certain,
        "count": item.count,
        "words": words,
    }
