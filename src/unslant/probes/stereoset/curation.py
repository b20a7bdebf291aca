"""What our reading of the items left out and corrected, from ``data/curation.toml``."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from unslant.core.errors import UnslantError
from unslant.datasets.stereoset import Item, Sentence


@dataclass(frozen=True)
class Repair:
    """A fragment of one text of an item, and what it should be.

    ``part`` is ``context`` or the label of a sentence.
    """

    part: str
    old: str
    new: str


@dataclass(frozen=True)
class Curation:
    """The reasons for leaving items out, and repairs, by the ids of items.

    ``whys`` says each reason in a sentence; ``twins`` are repairs of texts after swapping;
    ``confirmed`` are hashes of twins that were read because the swap is not certain of a word.
    """

    inter: Mapping[str, str]
    intra: Mapping[str, str]
    whys: Mapping[str, str]
    repairs: Mapping[str, tuple[Repair, ...]]
    twins: Mapping[str, tuple[Repair, ...]]
    confirmed: Mapping[str, str]


@cache
def curation() -> Curation:
    """The bundled curation.

    >>> sorted(set(curation().intra.values()))
    ['part-of-a-word', 'two-gaps']
    """
    path = files("unslant.probes.stereoset") / "data" / "curation.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    whys = {
        reason: entry["why"] for task in ("inter", "intra") for reason, entry in table[task].items()
    }
    inter, intra = (
        {item: reason for reason, entry in table[task].items() for item in entry["ids"]}
        for task in ("inter", "intra")
    )
    repairs, twins = _repairs(table["repair"]), _repairs(table["twin"])
    return Curation(inter, intra, whys, repairs, twins, table["confirmed"])


def _repairs(entries: Sequence[Mapping[str, str]]) -> dict[str, tuple[Repair, ...]]:
    found: dict[str, tuple[Repair, ...]] = {}
    for entry in entries:
        made = Repair(entry["in"], entry["old"], entry["new"])
        found[entry["id"]] = (*found.get(entry["id"], ()), made)
    return found


def repaired(item: Item, repairs: Sequence[Repair]) -> Item:
    """The item with its fragments corrected; one that does not occur exactly once is an error."""
    for repair in repairs:
        text = text_of(item, repair.part)
        if text.count(repair.old) != 1:
            raise UnslantError(
                f'The {repair.part} of StereoSet item {item.id} has "{repair.old}" '
                f"{text.count(repair.old)} times; expected once. This file is not the development "
                f"set that was screened: use [[curated=false|--no-curated]]."
            )
        item = _with_text(item, repair.part, text.replace(repair.old, repair.new))
    return item


def text_of(item: Item, part: str) -> str:
    """One of the texts of an item: its context, or the sentence with a label."""
    if part == "context":
        return item.context
    if part == "stereotype":
        return item.stereotype.text
    return item.anti.text if part == "anti-stereotype" else item.unrelated.text


def _with_text(item: Item, part: str, text: str) -> Item:
    if part == "context":
        return replace(item, context=text)
    if part == "stereotype":
        return replace(item, stereotype=Sentence(item.stereotype.id, text))
    if part == "anti-stereotype":
        return replace(item, anti=Sentence(item.anti.id, text))
    return replace(item, unrelated=Sentence(item.unrelated.id, text))
