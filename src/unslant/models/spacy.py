"""Pipelines of spaCy as taggers, for probes; spaCy is an optional extra."""

import hashlib
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from unslant.core.errors import DamagedFileError, UnsafeFileError, UnslantError
from unslant.core.extras import extra_for
from unslant.core.record import Facts
from unslant.core.text_files import json_from, small_text
from unslant.models.language.folder import refuse_strange_entries

# A folder with a spaCy pipeline: what of it may be loaded, and refused before anything is.
#
# spaCy's config.cfg names functions that are looked up among those of all installed packages and
# called when the pipeline is loaded, and may name other pipelines to load parts from. So the
# configuration is read first, with its references put in, and every name that loading would call
# is compared with a list of functions of spaCy's own that only build networks of thinc. Their
# weights are msgpack and NumPy arrays, which spaCy reads without pickles.

CONFIG, META = "config.cfg", "meta.json"
_LARGEST_CONFIG = 1 << 20
_READS_ENTITIES = ("tok2vec", "parser", "senter", "sentencizer", "ner")
"""Factories that entities come from; a parser counts, because no entity crosses its sentences."""
_OTHERS = (
    *("tagger", "morphologizer", "attribute_ruler", "lemmatizer", "trainable_lemmatizer"),
    *("textcat", "textcat_multilabel"),
)
"""Factories of spaCy's own that change no entity. They are not loaded."""
_NETWORKS = (
    "Tok2Vec|HashEmbedCNN|MultiHashEmbed|CharacterEmbed|MaxoutWindowEncoder|MishWindowEncoder|"
    "Tok2VecListener|TransitionBasedParser|Tagger"
)
_ALLOWED = {
    "architectures": re.compile(rf"spacy\.({_NETWORKS})\.v\d"),
    "scorers": re.compile(r"spacy\.\w+_scorer\.v\d"),
    "tokenizers": re.compile(r"spacy\.Tokenizer\.v1"),
    "vectors": re.compile(r"spacy\.Vectors\.v1"),
    "misc": re.compile(r"spacy\.first_longest_spans_filter\.v1"),
}
_CALLBACKS = ("before_creation", "after_creation", "after_pipeline_creation")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_INSTEAD = (
    "Tag the sentences where you trust the pipeline, and give the tags with [[scores=…|--scores]]."
)


@dataclass(frozen=True)
class SpacyFolder:
    """A checked folder. ``config`` has the parts of the pipeline that are loaded, and no others."""

    path: Path
    meta: Mapping[str, Any]
    config: Mapping[str, Any]
    used: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def language(self) -> str:
        """The code of its language, as in spacy.lang.en."""
        return str(self.config["nlp"]["lang"])

    @property
    def name(self) -> str:
        """The name in records and messages."""
        called = (self.meta.get("lang"), self.meta.get("name"))
        return "_".join(str(part) for part in called if part) or self.path.resolve().name

    def sha256(self) -> str:
        """A hash of every file in the folder."""
        digest = hashlib.sha256()
        for file in sorted(path for path in self.path.rglob("*") if path.is_file()):
            digest.update(f"{file.relative_to(self.path).as_posix()}\0".encode())
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return digest.hexdigest()


def is_spacy_folder(path: str | Path) -> bool:
    """Whether a path is a folder that claims to hold a spaCy pipeline."""
    return all((Path(path) / name).is_file() for name in (CONFIG, META))


def read_spacy_folder(path: str | Path) -> SpacyFolder:
    """The folder, if all that loading it would call is known; nothing of it is loaded yet."""
    folder = Path(path)
    refuse_strange_entries(folder)
    where = folder / CONFIG
    try:
        text = small_text(where, _LARGEST_CONFIG)
        meta = json_from(small_text(folder / META, _LARGEST_CONFIG))
    except ValueError as error:
        raise DamagedFileError(f"{folder} cannot be read: {error}.") from error
    if not isinstance(meta, dict):
        raise DamagedFileError(f"{folder / META} must hold a JSON object.")
    config = _plain(text, where)
    nlp, components = _table(config, "nlp", where), _table(config, "components", where)
    if not _LANGUAGE.fullmatch(str(nlp.get("lang"))):
        raise DamagedFileError(f"{where} names no language of spaCy's ({nlp.get('lang')!r:.40}).")
    used, left_out = _parts(nlp, components, where)
    loaded = {
        "nlp": {**nlp, "pipeline": list(used), "disabled": []},
        "components": {part: components[part] for part in used},
    }
    for callback in _CALLBACKS:
        if nlp.get(callback) is not None:
            raise UnsafeFileError(f"{where}: {callback} calls a function. Unslant does not run it.")
    for place, name, value in _values(loaded):
        _refuse_call(place, name, value, where)
    return SpacyFolder(folder, meta, loaded, used, left_out)


def _plain(text: str, where: Path) -> Mapping[str, Any]:
    """The configuration as plain values, with its references put in; no function is looked up."""
    if any(line.count("${") > 1 for line in text.splitlines()):
        # Every line that refers to two others can double the text.
        raise UnsafeFileError(f"{where} has a line with more than one reference.")
    spacy = extra_for("A spaCy pipeline", "spacy", "spacy")
    try:
        found: Mapping[str, Any] = spacy.Config().from_str(text)
    except Exception as error:  # of several libraries
        reason = " ".join(str(error).split())[:200]
        raise DamagedFileError(f"{where} cannot be read ({reason}).") from error
    return found


def _table(config: Mapping[str, Any], name: str, where: Path) -> Mapping[str, Any]:
    found = config.get(name)
    if not isinstance(found, dict):
        raise DamagedFileError(f"{where} has no section [{name}].")
    return found


def _parts(
    nlp: Mapping[str, Any], components: Mapping[str, Any], where: Path
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The components to load and the others, in the order of the pipeline."""
    disabled = nlp.get("disabled") or []
    factories: dict[str, str] = {}
    for part in nlp.get("pipeline") or []:
        settings = components.get(part)
        factory = settings.get("factory") if isinstance(settings, dict) else None
        if factory not in (*_READS_ENTITIES, *_OTHERS):
            raise UnsafeFileError(
                f"{where}: the component {part!r:.40} is made by {factory!r:.60}, which is not one "
                f"of spaCy's own that Unslant loads ({', '.join(_READS_ENTITIES)}). {_INSTEAD}"
            )
        if part not in disabled:
            factories[str(part)] = factory
    names = list(factories)
    last = max((n for n, part in enumerate(names) if factories[part] == "ner"), default=-1)
    if last < 0:
        raise UnslantError(f"{where}: the pipeline finds no entities; it has no component ner.")
    used = tuple(part for part in names[: last + 1] if factories[part] in _READS_ENTITIES)
    return used, tuple(part for part in names if part not in used)


def _refuse_call(place: str, name: str, value: object, where: Path) -> None:
    if name == "source":
        raise UnsafeFileError(f"{where}: {place} is taken from another pipeline. {_INSTEAD}")
    if name.startswith("@"):
        allowed = _ALLOWED.get(name[1:])
        if allowed is None or not allowed.fullmatch(str(value)):
            raise UnsafeFileError(
                f"{where}: {place} calls {value!r:.60} ({name}), which is not one of the functions "
                f"of spaCy's own that Unslant lets a pipeline call. {_INSTEAD}"
            )


def _values(table: Any, place: str = "") -> Iterator[tuple[str, str, object]]:
    """Every value at any depth: where it is, its name and itself."""
    items = table.items() if isinstance(table, dict) else enumerate(table)
    for name, value in items:
        yield place, str(name), value
        if isinstance(value, dict | list | tuple):
            yield from _values(value, f"{place}.{name}".lstrip("."))


# The entities of a spaCy pipeline as tags of given words.

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
        """Its entry in a record."""
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
            language = _load_pipeline(spacy, folder)
    except Exception as error:  # any error, because forged settings or weights can cause any
        reason = " ".join(str(error).split())[:200]
        raise DamagedFileError(
            f"{folder.path}: spaCy cannot load the pipeline ({reason}). Copy it again."
        ) from error
    return SpacyTagger(folder, language)


def _load_pipeline(spacy: Any, folder: SpacyFolder) -> Any:
    """Load a pipeline as spaCy does, from a configuration with only the checked parts."""
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
