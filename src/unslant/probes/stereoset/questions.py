"""What is asked: the items of a file, those with a twin, and what is left out of either."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from unslant.core.record import LeftOut, Subject
from unslant.core.references import reference
from unslant.datasets import stereoset
from unslant.datasets.stereoset import DOMAINS, TASKS, Item, broken_gap
from unslant.probes.stereoset import twins
from unslant.probes.stereoset.curation import curation, repaired
from unslant.probes.stereoset.twins import Pair, Swap, twin_of

Part = Literal["development", "held-out"]


@dataclass(frozen=True, kw_only=True)
class StereoSetQuestions:
    """Items, pairs of an item and its twin, and what was left out: ids by reason.

    ``broken`` are intra-sentence items whose gap cannot be filled; ``missing`` has them too.
    """

    items: tuple[Item, ...]
    broken: tuple[Item, ...] = ()
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
        """What a record says of it."""
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
        """What is not asked, by reason; the facts of the subject have the ids."""
        whys = {**stereoset.WHYS, **curation().whys, **twins.WHYS}
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
    items: Sequence[Item],
    *,
    is_wanted: Callable[[Item], bool] = lambda item: True,
    curated: bool = True,
    swap: Swap | None = None,
    concept: str = "gender",
) -> StereoSetQuestions:
    """The items that are wanted, and the twins of the gender items if there is a swap."""
    found = curation()
    missing: dict[str, list[str]] = {}
    usable: list[Item] = []
    broken: list[Item] = []
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


def part_of(item: Item) -> Part:
    """The half that an item belongs to, by a hash of its id, whatever else is in the file."""
    digest = hashlib.sha256(f"stereoset {item.id}".encode()).digest()
    return "development" if digest[0] % 2 == 0 else "held-out"
