"""The sentences about persons that ACEAT puts names into, and the names."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from unslant.concepts.augmentation import Mentions
from unslant.core.record import Subject
from unslant.core.references import reference
from unslant.probes.aceat.sentiment import Labeller
from unslant.probes.persons import NamedPersons

CITES = "dutta-2019"


@dataclass(frozen=True, kw_only=True)
class AceatCorpus(NamedPersons):
    """Sentences × names, and how the sentiment of the sentences is found."""

    labeller: Labeller
    mentions: Mentions = "each"

    drawn_for: ClassVar[str] = "aceat"

    @property
    def ways(self) -> tuple[str, ...]:
        """Which mentions are replaced, and by what sentences are labelled."""
        return (self.mentions, self.labeller.content_hash)

    def subject(self) -> Subject:
        """What a record says of it."""
        return Subject(
            kind="set",
            name=self.name,
            title="Names in sentences of a corpus",
            about="Each name in place of each person, and whether its vector is nearer to the rest "
            "of positive or of negative sentences.",
            groups=self.groups,
            references=(reference(CITES),),
            sha256=self.content_hash,
            facts={
                **self.facts(),
                "mentions-replaced": self.mentions,
                **self.labeller.facts,
            },
        )


def labelled_rows(corpus: AceatCorpus) -> Iterator[tuple[str, ...]]:
    """For each sentence its line, what the scorer saw, the label and the confidence."""
    for sentence in corpus.sentences():
        [score] = corpus.labeller.scores([sentence])
        [text] = corpus.labeller.texts([sentence])
        label = "neutral" if not score else "positive" if score > 0 else "negative"
        yield str(sentence.line), text, label, f"{abs(score):.6g}"
