"""Template sentences that put words into context for a language model.

A word replaces ``{}`` and is marked there, as in ``This is [[nurse]].``, so that a place can ask
for the pieces of that word alone. Marks are removed before a model reads the text.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import ConceptError, UnknownNameError
from unslant.core.files import sha256_of_file
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
"""Ordinary sentences about a person of any group; methods are fitted on them."""

BUNDLED = {contexts.name: contexts for contexts in (BLEACHED, EVERYDAY, PLAIN)}


@dataclass(frozen=True)
class TypeContexts:
    """Every sentence of a corpus: a word is the mean over all its occurrences (Dev et al. 2020).

    Written ``types(FILE)`` or ``types(FILE, least=2)``. The corpus is a text file of any size, also
    compressed. Words that occur less than ``least`` times are missing. Nothing is put into a slot,
    so the space has a vocabulary, like word vectors.
    """

    path: Path
    least: int = 5

    def __post_init__(self) -> None:
        if not self.path.is_file():
            raise ConceptError(f"The corpus of {self} does not exist; expected a text file.")
        if self.least < 1:
            raise ConceptError(f"least in {self} must be at least 1.")

    @property
    def name(self) -> str:
        """The name in records and messages."""
        return f"types({self.path.name})"

    @property
    def content_hash(self) -> str:
        """A hash of the bytes of the corpus, and of the parameters."""
        return hashlib.sha256(
            f"types {sha256_of_file(self.path)} {self.least}".encode()
        ).hexdigest()

    def __str__(self) -> str:
        """As it can be typed again."""
        return f"types({self.path}, least={self.least})"


AnyContexts = Contexts | TypeContexts
GivenContexts = AnyContexts | str | Path | Sequence[str]
"""Contexts, the name of bundled ones, the path of a text file with one a line, the templates, or
``types(FILE)`` for the means over a corpus."""
_TYPES = re.compile(r"types\(\s*(?P<path>[^\s].*?)\s*(?:,\s*least\s*=\s*(?P<least>\d{1,9})\s*)?\)")


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


def any_contexts_from(given: GivenContexts) -> AnyContexts:
    """Resolve the contexts by name, file or corpus."""
    if isinstance(given, TypeContexts):
        return given
    written = _TYPES.fullmatch(given.strip()) if isinstance(given, str) else None
    if written is None:
        return contexts_from(given)
    return TypeContexts(Path(written["path"]), int(written["least"] or 5))


def corpus_of_types(text: str) -> str | None:
    """The path in ``types(FILE)`` as it is written; None if the text is not written so.

    >>> corpus_of_types("types(novels.txt.xz, least=2)"), corpus_of_types("bleached")
    ('novels.txt.xz', None)
    """
    written = _TYPES.fullmatch(text.strip())
    return written["path"] if written else None


def contexts_from(given: GivenContexts) -> Contexts:
    """Resolve the contexts by name or file.

    >>> contexts_from("bleached").of("nurse")[0]
    'This is [[nurse]].'
    """
    if isinstance(given, Contexts):
        return given
    if isinstance(given, TypeContexts) or (isinstance(given, str) and _TYPES.fullmatch(given)):
        raise ConceptError(
            f"{given} is the mean over a corpus; here sentences with a slot are needed, such as "
            f"bleached or a text file with one a line."
        )
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
