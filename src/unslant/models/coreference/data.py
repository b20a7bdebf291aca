"""The documents that a model is trained on, and those held out to choose its round."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from unslant.concepts.swap.swap import Swap
from unslant.core.errors import UnslantError
from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.datasets.coreference.conll2012 import read_documents
from unslant.datasets.coreference.document import CorefDocument

# Documents with coreference whose group words are swapped: their clusters stay what they are.
#
# Every word keeps its place, so spans do too. A counterpart of several words moves the spans
# after it by as many words as it adds, and grows those that contain it.

ENDING = "_swapped"
"""What the name of a swapped document ends with."""


@dataclass(frozen=True)
class SwappedDocument:
    """A document after the swap, how many words were changed, and how many are ambiguous."""

    document: CorefDocument
    count: int
    ambiguous: int


def swapped_document(document: CorefDocument, swap: Swap) -> SwappedDocument:
    """A document with the words of two groups swapped, sentence by sentence.

    >>> from unslant.concepts.swap import swap_of
    >>> document = CorefDocument("d", (("She", "lost", "her", "keys"),), (((0, 1), (2, 3)),))
    >>> swapped_document(document, swap_of("gender")).document.sentences
    (('He', 'lost', 'his', 'keys'),)
    """
    sentences: list[tuple[str, ...]] = []
    sizes: list[int] = []
    count = ambiguous = 0
    for sentence in document.sentences:
        found = swap.tokens(sentence)
        pieces = [new.split() or [new] for new in found.tokens]
        sentences.append(tuple(word for piece in pieces for word in piece))
        sizes += map(len, pieces)
        count += sum(old != new for old, new in zip(sentence, found.tokens, strict=True))
        ambiguous += found.statuses.count("ambiguous")
    begins = [0, *accumulate(sizes)]
    clusters = tuple(
        tuple((begins[first], begins[end]) for first, end in cluster)
        for cluster in document.clusters
    )
    name = document.name
    name = name.removesuffix(ENDING) if name.endswith(ENDING) else f"{name}{ENDING}"
    return SwappedDocument(CorefDocument(name, tuple(sentences), clusters), count, ambiguous)


def doubled(documents: Iterable[CorefDocument], swap: Swap) -> Iterator[CorefDocument]:
    """Each document and, if anything in it is swapped, its twin (Zhao et al. 2018)."""
    for document in documents:
        yield document
        found = swapped_document(document, swap)
        if found.count:
            yield found.document


_PARTS = {"train": ("train",), "held_out": ("development", "dev"), "test": ("test",)}
_HELD_OUT = 9
"""One document in this many is held out if the folder has no split."""


@dataclass(frozen=True)
class CorefData:
    """Documents by what they are for; ``split`` says in words who chose them."""

    train: tuple[CorefDocument, ...]
    held_out: tuple[CorefDocument, ...]
    test: tuple[CorefDocument, ...] = ()
    split: str = ""

    def __post_init__(self) -> None:
        for part in ("train", "held_out"):
            if not any(document.clusters for document in getattr(self, part)):
                raise UnslantError(
                    f"The {part.replace('_', '-')} documents have no clusters, so there is nothing "
                    f"to learn from."
                )

    @property
    def has_singletons(self) -> bool:
        """Whether mentions are annotated that nothing else refers to, as in LitBank."""
        return any(len(own) == 1 for document in self.train for own in document.clusters)

    def doubled(self, swap: Swap) -> "CorefData":
        """With a twin of each training document, in which the words of two groups are swapped."""
        train = tuple(doubled(self.train, swap))
        twins = len(train) - len(self.train)
        if not twins:
            raise UnslantError("The training documents have no words that can be swapped.")
        said = f"{twins} training documents also with the words of {swap.concept} swapped"
        return replace(self, train=train, split=f"{self.split}; {said}")

    @property
    def facts(self) -> dict[str, Any]:
        """The documents' entry in a record."""
        counts = {
            part: {
                "documents": len(documents),
                "words": sum(len(document.words) for document in documents),
                "mentions": sum(len(document.mentions) for document in documents),
                "clusters": sum(len(document.clusters) for document in documents),
                "content_sha256": content_hash(documents),
            }
            for part in ("train", "held_out", "test")
            if (documents := getattr(self, part))
        }
        return {**counts, "split": self.split, "has_singletons": self.has_singletons}


def content_hash(documents: Sequence[CorefDocument]) -> str:
    """A hash of names, words and clusters."""
    found = hashlib.sha256()
    for each in documents:
        found.update(repr((each.name, each.sentences, each.clusters)).encode())
    return found.hexdigest()


def read_data(folder: str | Path, split: int = 0, progress: Progress | None = None) -> CorefData:
    """The documents of a folder of CoNLL-2012 files.

    Folders named train, development (or dev) and test in it are the splits, as in OntoNotes.
    Otherwise, as for LitBank, one document in nine is held out, drawn with the seed ``split``.
    """
    folder = Path(folder)
    parts = {
        part: next((folder / name for name in names if (folder / name).is_dir()), None)
        for part, names in _PARTS.items()
    }
    if parts["train"] and parts["held_out"]:
        read = {part: tuple(read_documents(path, progress)) for part, path in parts.items() if path}
        return CorefData(**read, split="the folders train, development and test")
    documents = read_documents(folder, progress)
    if len(documents) < 2:
        raise UnslantError(
            f"{folder} has one document. Training needs at least two, so that one can be held out."
        )
    return drawn(documents, split)


def drawn(documents: Sequence[CorefDocument], split: int = 0) -> CorefData:
    """One document in nine held out."""
    count = max(1, round(len(documents) / _HELD_OUT))
    order = generator(split, "held-out documents").permutation(len(documents)).tolist()
    held_out, train = (
        tuple(documents[row] for row in sorted(rows)) for rows in (order[:count], order[count:])
    )
    return CorefData(
        train, held_out, split=f"{count} of {len(documents)} documents drawn with seed {split}"
    )
