"""The entities of a spaCy pipeline as tags of given words."""

import warnings
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, UnslantError
from unslant.core.extras import extra_for
from unslant.core.record import Facts
from unslant.models.spacy.folder import SpacyFolder, read_spacy_folder

_BATCH = 256


class SpacyTagger:
    """A pipeline that is given words, not text, so that its tokenizer does not matter.

    Kinds are the pipeline's own, such as PERSON. To the pipeline every word has a space after it.
    """

    def __init__(self, folder: SpacyFolder, language: Any) -> None:
        self.folder, self.name, self._language = folder, folder.name, language
        self.sha256 = folder.sha256()

    @property
    def facts(self) -> Facts:
        """What a record says of it."""
        return {
            "library": f"spacy {import_module('spacy').__version__}",
            "pipeline-version": str(self.folder.meta.get("version", "")),
            "components": ", ".join(self.folder.used),
            "components-not-loaded": ", ".join(self.folder.left_out),
        }

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """One tag in IOB2 for each word."""
        made = import_module("spacy.tokens").Doc
        docs = (made(self._language.vocab, words=list(words)) for words in sentences)
        return [_tags(doc) for doc in self._read(docs)]

    def _read(self, docs: Iterator[Any]) -> Iterator[Any]:
        for _, part in self._language.pipeline:
            docs = part.pipe(docs, batch_size=_BATCH)
        return docs


def _tags(doc: Any) -> tuple[str, ...]:
    tags = ["O"] * len(doc)
    for entity in doc.ents:
        length = entity.end - entity.start
        tags[entity.start : entity.end] = [
            f"B-{entity.label_}",
            *[f"I-{entity.label_}"] * (length - 1),
        ]
    return tuple(tags)


def load_spacy(path: str | Path) -> SpacyTagger:
    """The pipeline in a folder; see ``folder.py`` for what is refused."""
    spacy = extra_for("A spaCy pipeline", "spacy", "spacy")
    folder = read_spacy_folder(path)
    _check_version(spacy, folder)
    if find_spec(f"spacy.lang.{folder.language}") is None:
        raise UnslantError(f'{folder.path}: spaCy has no language "{folder.language}".')
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its versions, which are checked above
            language = _made(spacy, folder)
    except Exception as error:  # whatever forged settings or weights lead to
        reason = " ".join(str(error).split())[:200]
        raise DamagedFileError(
            f"{folder.path}: spaCy cannot load the pipeline ({reason}). Copy it again."
        ) from error
    return SpacyTagger(folder, language)


def _made(spacy: Any, folder: SpacyFolder) -> Any:
    """What spaCy's own loading does, of a configuration that has the checked parts only."""
    made = import_module("spacy.util").load_model_from_config(
        spacy.Config(dict(folder.config)), meta=dict(folder.meta)
    )
    return made.from_disk(folder.path, exclude=["tokenizer", "config.cfg", "meta.json"])


def _check_version(spacy: Any, folder: SpacyFolder) -> None:
    """Refuse a pipeline for another version, whose weights would mean something else."""
    wanted = str(folder.meta.get("spacy_version", ""))
    specifiers = import_module("packaging.specifiers")
    try:
        fits = specifiers.SpecifierSet(wanted).contains(spacy.__version__, prereleases=True)
    except specifiers.InvalidSpecifier as error:
        raise DamagedFileError(
            f"{folder.path}: meta.json asks for spaCy {wanted!r:.40}, which is no version."
        ) from error
    if not fits:
        raise UnslantError(
            f"{folder.path} is for spaCy {wanted[:60]}, but {spacy.__version__} is installed. "
            f"Install that version, or tag the sentences there and give the tags with "
            f"[[scores=…|--scores]]."
        )
