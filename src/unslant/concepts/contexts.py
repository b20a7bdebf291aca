"""Sentences to put words into, so that a language model can be asked about words.

A word stands at ``{}`` and is marked there, as in ``This is [[nurse]].``, so that a place can ask
for the pieces of that word alone. Marks are removed before a model reads the text.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import ConceptError, UnknownNameError
from unslant.core.text_files import small_text
from unslant.vectors import SentenceSpace, Space

SLOT = "{}"
_LARGEST = 8 << 20


@dataclass(frozen=True)
class Contexts:
    """Templates with one slot each."""

    name: str
    templates: tuple[str, ...]

    def __post_init__(self) -> None:
        for template in self.templates:
            if template.count(SLOT) != 1:
                raise ConceptError(
                    f'A context has one slot {{}}, as in "This is {{}}.". Got "{template[:60]}".'
                )
        if not self.templates:
            raise ConceptError(f"The contexts {self.name} contain no sentence.")

    @property
    def content_hash(self) -> str:
        """A hash of the templates, in their order."""
        return hashlib.sha256("\n".join(self.templates).encode()).hexdigest()

    def of(self, word: str) -> list[str]:
        """The word in every context, marked."""
        return [template.replace(SLOT, f"[[{word}]]") for template in self.templates]

    def __len__(self) -> int:
        return len(self.templates)

    def __iter__(self) -> Iterator[str]:
        return iter(self.templates)


BLEACHED = Contexts(
    "bleached",
    (
        "This is {}.",
        "That is {}.",
        "There is {}.",
        "Here is {}.",
        "It is {}.",
        "{} is here.",
        "{} is there.",
    ),
)
"""Sentences that say nothing about the word (May et al. 2019)."""

PLAIN = Contexts("plain", ("{}",))
"""The word alone, as the whole text."""

EVERYDAY = Contexts(
    "everyday",
    (
        "{} is here.",
        "{} was at home all day.",
        "{} walked to the station in the morning.",
        "{} opened the window and looked outside.",
        "{} bought some bread and a newspaper.",
        "{} will call again tomorrow.",
        "{} waited for the bus in the rain.",
        "{} has lived in this street for years.",
        "{} sat down and began to eat.",
        "{} could not find the key.",
        "Yesterday {} went to see a film.",
        "In the evening {} wrote a long letter.",
        "Last year {} moved to another town.",
        "I think {} is right about this.",
        "We heard that {} was on the train.",
        "Nobody knew where {} had been.",
        "They asked whether {} wanted tea.",
        "It was late when {} came back.",
        "After lunch {} read a book.",
        "Do you know if {} likes music?",
    ),
)
"""Ordinary sentences in which a person of any group can stand; methods are fitted on them."""

BUNDLED = {contexts.name: contexts for contexts in (BLEACHED, EVERYDAY, PLAIN)}

GivenContexts = Contexts | str | Path | Sequence[str]
"""Contexts, the name of bundled ones, the path of a text file with one a line, or the templates."""


def texts_of(space: Space, word: str, contexts: Contexts) -> list[str]:
    """The word in every context as a space reads it; a space of words has the word alone.

    Marks stay for spaces that read them (places of a model), and are removed for any other
    encoder.
    """
    if not isinstance(space, SentenceSpace):
        return [word]
    texts = contexts.of(word)
    if getattr(space, "reads_marks", False):
        return texts
    return [without_marks(text) for text in texts]


def without_marks(text: str) -> str:
    """The text without the marks of its word."""
    return text.replace("[[", "", 1).replace("]]", "", 1)


def contexts_from(given: GivenContexts) -> Contexts:
    """The contexts that are meant.

    >>> contexts_from("bleached").of("nurse")[0]
    'This is [[nurse]].'
    """
    if isinstance(given, Contexts):
        return given
    if isinstance(given, str | Path):
        if str(given) in BUNDLED:
            return BUNDLED[str(given)]
        if not Path(given).is_file():
            raise UnknownNameError("set of contexts (or text file)", str(given), BUNDLED)
        try:
            lines = small_text(Path(given), _LARGEST).splitlines()
        except ValueError as error:
            raise ConceptError(f"The contexts in {given} cannot be read: {error}.") from error
        return Contexts(Path(given).stem, tuple(line for line in lines if line.strip()))
    return Contexts("own", tuple(given))
