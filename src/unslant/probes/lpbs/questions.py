"""What LPBS asks: a test's targets and attributes in sentences."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from unslant.concepts import AssociationTest, concept
from unslant.core.errors import UnslantError
from unslant.core.record import Subject
from unslant.core.references import reference


@cache
def _data() -> Mapping[str, tuple[str, ...]]:
    path = files("unslant.probes.lpbs") / "data" / "templates.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {key: tuple(texts) for key, texts in table.items()}


@dataclass(frozen=True, kw_only=True)
class LpbsQuestions:
    """A test with two target sets and two attribute sets, the sentences, and neutral attributes."""

    test: AssociationTest
    templates: tuple[str, ...] = field(default_factory=lambda: _data()["templates"])
    neutral: tuple[str, ...] = field(default_factory=lambda: _data()["neutral"])

    @property
    def name(self) -> str:
        """The concept and the test."""
        return str(self.test)

    @property
    def concept(self) -> str:
        """The concept of the test."""
        return self.test.concept

    def __len__(self) -> int:
        words = [len(item.all_words) for item in self.test.targets.values()]
        return sum(words) * len(self.templates) * len(self.attributes)

    @property
    def targets(self) -> tuple[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]]:
        """The two sets of targets with their names."""
        first, second = ((key, item.all_words) for key, item in self.test.targets.items())
        return first, second

    @property
    def attribute_sets(self) -> tuple[tuple[str, tuple[str, ...]], tuple[str, tuple[str, ...]]]:
        """The two sets of attributes with their names."""
        first, second = ((key, item.all_words) for key, item in self.test.attributes.items())
        return first, second

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute that is asked, the neutral ones last."""
        first, second = self.attribute_sets
        return (*first[1], *second[1], *self.neutral)

    @property
    def content_hash(self) -> str:
        """A hash of the words and the sentences."""
        lines = (self.test.content_hash, *self.templates, *self.neutral)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def subject(self) -> Subject:
        """What a record says of it."""
        return Subject(
            kind="set",
            name=self.name,
            title=self.test.title,
            about="Do words for people become likelier by words that stereotypes associate with "
            "them?",
            groups=tuple(self.test.targets),
            references=(reference("kurita-2019"),),
            sha256=self.content_hash,
            facts={"texts": len(self)},
        )


def lpbs_questions(name: str) -> LpbsQuestions:
    """The test called ``concept/test``."""
    concept_name, _, test_name = name.rpartition("/")
    if not concept_name:
        raise UnslantError(
            f'Name a concept and one of its tests, as in "gender/career-family". Got "{name}".'
        )
    test = concept(concept_name).test(test_name)
    if len(test.targets) != 2 or len(test.attributes) != 2:
        raise UnslantError(
            f"LPBS needs two target sets and two attribute sets; {name} has {len(test.targets)} "
            f"and {len(test.attributes)}."
        )
    if test.items == "sentences":
        raise UnslantError(f"{name} is a test of sentences; LPBS puts words into its own.")
    return LpbsQuestions(test=test)
