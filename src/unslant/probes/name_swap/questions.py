"""The sentences with a person that names are put into, and the names."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from unslant.concepts.augmentation import Slot, slots
from unslant.concepts.name_table import CROSSED
from unslant.core.errors import UnslantError
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.probes.persons import NamedPersons

CITES = "mehrabi-2020"

Groupings = dict[str, dict[str, tuple[str, ...]]]


@dataclass(frozen=True, kw_only=True)
class NameSwapSet(NamedPersons):
    """Mentions of persons × names, and by which attributes the names are compared."""

    by: tuple[str, ...] = ()

    drawn_for: ClassVar[str] = "name swap"

    def slots(self) -> Iterator[Slot]:
        """Every mention of a person; ``number`` counts the sentences that are used."""
        return slots(self.sentences(), kind=self.kind)

    @cached_property
    def groupings(self) -> Groupings:
        """For each way to group the names, the names of each group."""
        table = self.names
        every = list(table.attributes)
        if len(every) > 1:
            every.append(CROSSED.join(every))
        found = {by: table.groups(by) for by in (self.by or every)}
        for by, groups in found.items():
            if len(groups) < 2:
                raise UnslantError(
                    f"{table.title} has one group by {by}. Expected at least two groups of names."
                )
        return found

    def subject(self) -> Subject:
        """What a record says of it."""
        return Subject(
            kind="set",
            name=self.name,
            title="Names in place of the persons of a corpus",
            about="Each name in place of each person, one mention at a time, and whether a tagger "
            "still finds a person there.",
            groups=self.groups,
            references=(reference(CITES), reference("dutta-2019")),
            sha256=self.content_hash,
            facts=dict(self.facts()),
        )
