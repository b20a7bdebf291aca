"""``unslant list``: bundled concepts and word lists, and public data."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.text import Text

from unslant.cli import shared
from unslant.cli.listing import show_listing, show_names
from unslant.concepts import Concept, WordList, bundled_concepts, concept, wordlist
from unslant.concepts.languages import language_name, weathub_code
from unslant.concepts.wordlists import bundled_lists
from unslant.core.visible import visible
from unslant.datasets.registry import WrongFileError, dataset, datasets, locate

_SECTIONS = ("words", "names", "sets", "neutral", "specific", "lists")


KINDS = {
    "metrics": "measure bias and quality in a space: unslant measure",
    "methods": "remove bias: unslant debias",
    "probes": "query models: unslant probe",
    "directions": "estimate a bias direction: unslant inspect subspace",
    "concepts": "groups, word lists and association tests",
    "words": "bundled word lists with their sources",
    "data": "public benchmark files: unslant files fetch",
}


def list_kinds(context: typer.Context, as_json: shared.JsonOption = False) -> None:
    """List metrics, methods, probes, directions, concepts, words and data, or describe one.

    Examples: unslant list metrics; unslant list concepts gender
    """
    if context.invoked_subcommand is not None:
        return
    if as_json:
        shared.print_json([{"name": name, "about": about} for name, about in KINDS.items()])
        return
    show_listing(("list", "content"), list(KINDS.items()), main=1)
    shared.say("List one: unslant list NAME")


def list_concepts(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A bundled concept, or the path of a TOML file, for all about it.",
            autocompletion=shared.complete_concept,
            show_default=False,
        ),
    ] = None,
    every_word: Annotated[
        bool, typer.Option("--all", help="Print every word, not only the first ones.")
    ] = False,
    as_json: shared.JsonOption = False,
) -> None:
    """List the bundled concepts, or show one: groups, lists with their sources, tests, caveats.

    Example: unslant list concepts gender
    """
    if name is not None:
        _show_concept(concept(name), every_word, as_json)
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
    shared.say("All about one: unslant list concepts NAME")


def _show_concept(item: Concept, every_word: bool, as_json: bool) -> None:
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


def list_words(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A bundled list, such as dev-2020/occupations, for its words.", show_default=False
        ),
    ] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """List the bundled word lists, or print the words of one, one word or row per line.

    Example: unslant list words dev-2020/occupations
    """
    if name is None:
        entries = bundled_lists()
        if as_json:
            shared.print_json([_plain_list(entry, with_words=False) for entry in entries.values()])
            return
        rows = [(key, f"{len(entry):,}", entry.about) for key, entry in entries.items()]
        show_listing(("list", "words", "about"), rows, typed=(0, 1), main=2)
        shared.say("Its words: unslant list words NAME")
        return
    entry = wordlist(name)
    if as_json:
        shared.print_json(_plain_list(entry, with_words=True))
        return
    shared.err.print(f"{entry.about} {entry.note} {entry.source}")
    for row in entry.rows or [(word,) for word in entry.words]:
        shared.out.print("\t".join(map(str, row)), highlight=False, soft_wrap=True)


def list_data(
    name: Annotated[
        str | None,
        typer.Argument(help="A file, or a group such as similarity.", show_default=False),
    ] = None,
    as_json: shared.JsonOption = False,
) -> None:
    """List the public benchmark files: size, licence, source and where each was found.

    Files are looked for in the folder that UNSLANT_DATA names and among those fetched before.
    """
    facts = [_file_facts(known) for known in (datasets() if name is None else named_files(name))]
    if as_json:
        shared.print_json(facts)
        return
    rows = [
        (
            item["name"],
            f"{item['bytes']:,}",
            item["licence"],
            f"{item['cite']}, {item['repository']}",
            item["found"] or item["problem"] or "—",
        )
        for item in facts
    ]
    faulty = [number for number, item in enumerate(facts) if item["problem"]]
    head = ("name", "bytes", "licence", "source", "found")
    show_listing(head, rows, typed=(0, 1, 4), yellow=faulty)
    shared.say("Fetch one with: unslant files fetch NAME (or a group such as similarity, or all)")


def named_files(name: str) -> list[str]:
    """The public files of a name, of a group of names, or all."""
    names = [known for known in datasets() if name in ("all", known, known.split("/")[0])]
    if not names:
        dataset(name)  # says which names there are
    return names


def _file_facts(name: str) -> dict[str, Any]:
    item = dataset(name)
    path, problem = None, ""
    try:
        path = locate(name)
    except WrongFileError as error:
        problem = str(error)
    return {
        "name": name,
        "bytes": item.bytes,
        "licence": item.licence,
        "cite": item.cite,
        "repository": item.repository,
        "address": item.address,
        "sha256": item.sha256,
        "found": None if path is None else str(path),
        "problem": problem,
    }


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
