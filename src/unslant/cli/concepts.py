"""``unslant concepts``: what the package knows about protected attributes."""

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.text import Text

from unslant.cli import shared
from unslant.cli.listing import show_listing, show_names
from unslant.cli.whole_help import WholeHelp
from unslant.concepts import Concept, WordList, bundled_concepts, concept, wordlist
from unslant.concepts.languages import language_name, weathub_code
from unslant.core.visible import visible

app = typer.Typer(
    cls=WholeHelp,
    help="List the bundled concepts, or show one with all its words and sources.",
    invoke_without_command=True,
    rich_markup_mode=None,
)

_SECTIONS = ("words", "names", "sets", "neutral", "specific", "lists")


@app.callback()
def list_concepts(context: typer.Context, as_json: shared.JsonOption = False) -> None:
    """List the bundled concepts."""
    if context.invoked_subcommand:
        return
    known = [concept(name) for name in bundled_concepts()]
    if as_json:
        shared.print_json([_plain(item, with_words=False) for item in known])
        return
    rows = []
    for item in known:
        if not weathub_code(item.name):
            groups = ", ".join(item.groups) or "none"
            tests = ", ".join(item.tests) or "none"
            rows.append((item.name, groups, item.direction or "none", tests, item.title))
    head = ("concept", "groups", "direction", "tests", "about")
    show_listing(head, rows, typed=(0, 1, 2, 3), main=4)
    shared.out.print("Association tests in other languages (WEATHub; Mukherjee et al. 2023):")
    languages = [item for item in known if weathub_code(item.name)]
    show_names([f"{item.name} {language_name(item.language)}" for item in languages])
    numbers = max((list(item.tests) for item in languages), key=len)
    shared.out.print(Text(f"Their tests: {', '.join(numbers)}; weathub-en has those from 11."))
    shared.out.print("Show one with its words and sources: unslant concepts show gender")


@app.command("show")
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="A bundled concept, or the path of a TOML file.",
            autocompletion=shared.complete_concept,
        ),
    ],
    as_json: shared.JsonOption = False,
    every_word: Annotated[
        bool, typer.Option("--words", help="Print every word, not only the first ones.")
    ] = False,
) -> None:
    """Show a concept: its groups, lists with their sources, tests and caveats."""
    item = concept(name)
    if as_json:
        shared.print_json(_plain(item, with_words=True))
        return
    shared.out.print(f"{item.title}, version {item.version}")
    shared.out.print(item.about)
    shared.out.print(f"Direction: {item.direction or 'none'}")
    if item.language:
        shared.out.print(f"Language: {language_name(item.language)}")
    rows = [_row(label, entry, every_word) for label, entry in _lists(item)]
    show_listing(("list", "words", "begins", "source"), rows, typed=(0, 1, 3), main=2)
    sources = {entry.source.key: entry.source for _, entry in _lists(item)}
    for key in sorted(sources):
        source = sources[key]
        licence = f" Licence: {source.licence}." if source.licence else ""
        shared.out.print(f"{key}: {source}{licence}")
    for caveat in item.caveats:
        shared.out.print(f"Caveat: {caveat}")


@app.command("list")
def show_list(
    name: Annotated[str, typer.Argument(help="A bundled list, such as dev-2020/occupations.")],
    as_json: shared.JsonOption = False,
) -> None:
    """Print one bundled word list, a word or row a line, with its source."""
    entry = wordlist(name)
    if as_json:
        shared.print_json(_plain_list(entry, with_words=True))
        return
    shared.err.print(f"{entry.about} {entry.note} {entry.source}")
    for row in entry.rows or [(word,) for word in entry.words]:
        shared.out.print("\t".join(map(str, row)), highlight=False, soft_wrap=True)


def _lists(item: Concept) -> Iterator[tuple[str, WordList]]:
    """Every list of a concept and of its tests, with where it belongs."""
    for section in _SECTIONS:
        for key, entry in getattr(item, section).items():
            yield f"{section}: {key}", entry
    for test in item.tests.values():
        for key, entry in (*test.targets.items(), *test.attributes.items()):
            yield f"{test.name}: {key}", entry


def _row(label: str, entry: WordList, every_word: bool) -> tuple[str, str, str, str]:
    words = entry.all_words if every_word else entry.all_words[:6]
    shown = ", ".join(map(visible, words)) + (", …" if len(words) < len(entry.all_words) else "")
    return label, f"{len(entry):,}", shown, entry.source.key


def _plain_list(entry: WordList, *, with_words: bool) -> dict[str, object]:
    plain: dict[str, object] = {
        "name": entry.name,
        "count": len(entry),
        "source": str(entry.source),
        "licence": entry.source.licence,
    }
    if with_words and entry.columns:
        plain |= {"columns": list(entry.columns), "rows": [list(row) for row in entry.rows]}
    elif with_words:
        plain["words"] = list(entry.words)
    return plain


def _plain(item: Concept, *, with_words: bool) -> dict[str, object]:
    def lists(entries: object) -> dict[str, object]:
        assert isinstance(entries, dict)
        return {key: _plain_list(entry, with_words=with_words) for key, entry in entries.items()}

    return {
        "name": item.name,
        "title": item.title,
        "version": item.version,
        "about": item.about,
        "language": item.language,
        "groups": list(item.groups),
        "direction": item.direction,
        "alternatives": list(item.alternatives),
        "caveats": list(item.caveats),
        "words_sha256": item.content_hash,
        **{section: lists(getattr(item, section)) for section in _SECTIONS},
        "tests": {
            key: {
                "title": test.title,
                "targets": lists(test.targets),
                "attributes": lists(test.attributes),
            }
            for key, test in item.tests.items()
        },
    }
