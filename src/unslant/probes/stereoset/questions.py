"""The questions: the items of a file, those with a twin, and what is left out of either."""

import hashlib
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal, Protocol

from unslant.core.errors import UnslantError
from unslant.core.record import LeftOut, Subject
from unslant.core.references import reference
from unslant.datasets import stereoset
from unslant.datasets.stereoset import (
    DOMAINS,
    TASKS,
    StereosetItem,
    StereosetSentence,
    broken_gap,
)

# What our reading of the items left out and corrected, from `data/curation.toml`.


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


def repaired(item: StereosetItem, repairs: Sequence[Repair]) -> StereosetItem:
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


def text_of(item: StereosetItem, part: str) -> str:
    """One of the texts of an item: its context, or the sentence with a label."""
    if part == "context":
        return item.context
    if part == "stereotype":
        return item.stereotype.text
    return item.anti.text if part == "anti-stereotype" else item.unrelated.text


def _with_text(item: StereosetItem, part: str, text: str) -> StereosetItem:
    if part == "context":
        return replace(item, context=text)
    if part == "stereotype":
        return replace(item, stereotype=StereosetSentence(item.stereotype.id, text))
    if part == "anti-stereotype":
        return replace(item, anti=StereosetSentence(item.anti.id, text))
    return replace(item, unrelated=StereosetSentence(item.unrelated.id, text))


# The gender-swapped twin of an inter-sentence item.
#
# As in Dawkins (2023), the context and the sentences labelled stereotype and anti-stereotype are
# swapped, and these two labels change places: a stereotype of one gender is an anti-stereotype of
# the other. The unrelated sentence stays as it is, so that only the context before it differs.

UNCERTAIN, UNCHANGED = "ambiguous-swap", "nothing-swapped"
WHYS = {
    UNCERTAIN: "The gender swap is not certain of a word in the context or in a sentence.",
    UNCHANGED: "The gender swap finds nothing to change in the context.",
}


class TwinWord(Protocol):
    """One word that the swap looked at."""

    @property
    def old(self) -> str:
        """The word as it was."""

    @property
    def status(self) -> str:
        """``certain``, ``ambiguous`` or ``untouched``."""


class SwappedItem(Protocol):
    """A text with the gender of its words swapped."""

    @property
    def text(self) -> str:
        """The text after swapping."""

    @property
    def words(self) -> Sequence[TwinWord]:
        """The words that were looked at."""

    @property
    def is_certain(self) -> bool:
        """Whether no word is ambiguous."""

    @property
    def count(self) -> int:
        """How many words were changed."""


Swap = Callable[[str], SwappedItem]


@dataclass(frozen=True)
class Pair:
    """An item and its twin, whose labels say what they are after swapping."""

    item: StereosetItem
    twin: StereosetItem


@dataclass(frozen=True)
class NoTwin:
    """An item that has no twin, for a reason; ``words`` are the ambiguous ones."""

    item: StereosetItem
    reason: str
    words: tuple[str, ...] = ()


def twin_of(
    item: StereosetItem, swap: Swap, repairs: Sequence[Repair] = (), confirmed: str = ""
) -> Pair | NoTwin:
    """The item with its twin, or why it has none; ``repairs`` are for texts after swapping.

    A twin that the swap is not certain of is taken if it has been read and found right: if it has
    the hash ``confirmed``.
    """
    context, stereotype, anti = (
        swap(text) for text in (item.context, item.stereotype.text, item.anti.text)
    )
    if not context.count:
        return NoTwin(item, UNCHANGED)
    swapped = replace(
        item,
        context=context.text,
        stereotype=StereosetSentence(item.stereotype.id, stereotype.text),
        anti=StereosetSentence(item.anti.id, anti.text),
    )
    needed = [repair for repair in repairs if repair.old in text_of(swapped, repair.part)]
    swapped = repaired(swapped, needed)
    unclear = _ambiguous((context, stereotype, anti))
    if unclear and text_hash(swapped) != confirmed:
        return NoTwin(item, UNCERTAIN, unclear)
    return Pair(item, replace(swapped, stereotype=swapped.anti, anti=swapped.stereotype))


def text_hash(swapped: StereosetItem) -> str:
    """A hash of the swapped texts, before labels change places."""
    texts = (swapped.context, swapped.stereotype.text, swapped.anti.text)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def _ambiguous(texts: Iterable[SwappedItem]) -> tuple[str, ...]:
    found = [
        word.old
        for text in texts
        if not text.is_certain
        for word in text.words
        if word.status == "ambiguous"
    ]
    return tuple(dict.fromkeys(found))


Part = Literal["development", "held-out"]


@dataclass(frozen=True, kw_only=True)
class StereoSetQuestions:
    """Items, pairs of an item and its twin, and what was left out: ids by reason.

    ``broken`` are intra-sentence items whose gap cannot be filled; ``missing`` has them too.
    """

    items: tuple[StereosetItem, ...]
    broken: tuple[StereosetItem, ...] = ()
    pairs: tuple[Pair, ...] = ()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    repairs: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    name: str = "stereoset"
    concept: str = "gender"

    def __len__(self) -> int:
        return len(self.items) + len(self.pairs)

    @cached_property
    def content_hash(self) -> str:
        """A hash of every text with its label and id."""
        every = [*self.items, *self.broken]
        every += [each for pair in self.pairs for each in (pair.item, pair.twin)]
        lines = []
        for item in every:
            sentences = (f"{each.id} {each.text}" for each in item.sentences)
            facts = (item.id, item.task, item.target, item.domain, item.context)
            lines.append("\x1f".join((*facts, *sentences)))
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def subject(self) -> Subject:
        """Its entry in a record."""
        domains = {item.domain for item in self.items}
        return Subject(
            kind="set",
            name=self.name,
            title="StereoSet",
            about="Does a language model prefer stereotypes to anti-stereotypes, and either to "
            "what is unrelated?",
            groups=tuple(domain for domain in DOMAINS if domain in domains),
            references=tuple(map(reference, ("nadeem-2021", "dawkins-2023"))),
            sha256=self.content_hash,
            facts={
                "texts": 3 * (len(self.items) + 2 * len(self.pairs)),
                "concept": self.concept,
                **{f"{task}-items": sum(i.task == task for i in self.items) for task in TASKS},
                "items-with-a-swapped-twin": len(self.pairs),
                **{f"left-out-{reason}": ids for reason, ids in self.missing.items()},
                "ambiguous-words": self.ambiguous,
                "repairs": self.repairs,
            },
        )

    def left_out(self, *, is_broken_asked: bool = False) -> tuple[LeftOut, ...]:
        """The items left out, by reason; the facts of the subject have the ids."""
        whys = {**stereoset.WHYS, **curation().whys, **WHYS}
        return tuple(
            LeftOut(
                what=_items("intra-sentence", len(ids))
                if reason in stereoset.WHYS
                else f"{_items('gender', len(ids))}, from Strength and Distance",
                why=whys[reason],
            )
            for reason, ids in self.missing.items()
            if not (is_broken_asked and reason in stereoset.WHYS)
        )


def _items(kind: str, count: int) -> str:
    return f"{count:,} {kind} item{'' if count == 1 else 's'}"


def questions_from(
    items: Sequence[StereosetItem],
    *,
    is_wanted: Callable[[StereosetItem], bool] = lambda item: True,
    curated: bool = True,
    swap: Swap | None = None,
    concept: str = "gender",
) -> StereoSetQuestions:
    """The requested items, and the twins of the gender items if there is a swap."""
    found = curation()
    missing: dict[str, list[str]] = {}
    usable: list[StereosetItem] = []
    broken: list[StereosetItem] = []
    pairs: list[Pair] = []
    repairs: list[str] = []
    ambiguous: list[str] = []
    for item in filter(is_wanted, items):
        reason = broken_gap(item) or found.intra.get(item.id) if item.task == "intra" else None
        if reason:
            missing.setdefault(reason, []).append(item.id)
        (broken if reason else usable).append(item)
        if item.task == "intra" or item.domain != "gender" or swap is None:
            continue
        if curated and item.id in found.inter:
            missing.setdefault(found.inter[item.id], []).append(item.id)
            continue
        corrections = found.repairs.get(item.id, ()) if curated else ()
        repairs += [f"{item.id}: {each.old} → {each.new}" for each in corrections]
        after = found.twins.get(item.id, ()) if curated else ()
        confirmed = found.confirmed.get(item.id, "") if curated else ""
        made = twin_of(repaired(item, corrections), swap, after, confirmed)
        if isinstance(made, Pair):
            pairs.append(made)
        else:
            missing.setdefault(made.reason, []).append(item.id)
            ambiguous += [f"{item.id}: {', '.join(made.words)}"] if made.words else []
    return StereoSetQuestions(
        items=tuple(usable),
        broken=tuple(broken),
        pairs=tuple(pairs),
        missing={reason: tuple(ids) for reason, ids in missing.items()},
        repairs=tuple(repairs),
        ambiguous=tuple(ambiguous),
        concept=concept,
    )


def part_of(item: StereosetItem) -> Part:
    """The half that an item belongs to, by a hash of its id alone."""
    digest = hashlib.sha256(f"stereoset {item.id}".encode()).digest()
    return "development" if digest[0] % 2 == 0 else "held-out"
