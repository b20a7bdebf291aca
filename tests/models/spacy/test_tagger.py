"""spaCy pipelines as taggers: the same tags as from spaCy, and nothing called that is not known."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from tests.language_models import data_folder
from tests.real_models import real_model
from unslant.core.errors import DamagedFileError, UnsafeFileError, UnslantError
from unslant.datasets.conll2003 import tagged_sentences
from unslant.models.spacy import is_spacy_folder, load_spacy

spacy = pytest.importorskip("spacy")
WORDS = [["Ann", "went", "to", "Rome", "."], ["Rome", "calls", "Ann"], []]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that was taught by heart that Ann is a PERSON and Rome a GPE."""
    from spacy.training import Example

    folder = tmp_path_factory.mktemp("pipeline") / "made"
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("ner")
    taught = [
        ("Ann went to Rome .", [(0, 3, "PERSON"), (12, 16, "GPE")]),
        ("Rome calls Ann", [(0, 4, "GPE"), (11, 14, "PERSON")]),
    ]
    examples = [Example.from_dict(nlp.make_doc(t), {"entities": e}) for t, e in taught]
    nlp.initialize(lambda: examples)
    for _ in range(40):
        nlp.update(examples)
    nlp.to_disk(folder)
    return folder


def changed(made: Path, target: Path, old: str, new: str) -> Path:
    """The pipeline with another line in its configuration."""
    target.mkdir()
    for path in made.rglob("*"):
        copy = target / path.relative_to(made)
        if path.is_dir():
            copy.mkdir(exist_ok=True)
        else:
            copy.write_bytes(path.read_bytes())
    text = (target / "config.cfg").read_text()
    found = re.sub(old, lambda _: new, text, count=1, flags=re.MULTILINE)
    assert found != text
    (target / "config.cfg").write_text(found)
    return target


def test_entities_are_tags_of_the_words_that_were_given(made: Path) -> None:
    tagger = load_spacy(made)
    assert tagger.tag(WORDS) == [
        ("B-PERSON", "O", "O", "B-GPE", "O"),
        ("B-GPE", "O", "B-PERSON"),
        (),
    ]
    assert tagger.facts["components"] == "sentencizer, ner"
    assert len(tagger.sha256) == 64
    assert is_spacy_folder(made)
    assert not is_spacy_folder(made / "ner")


HOSTILE = {
    "a function of another package": (
        r'^@architectures = "spacy.HashEmbedCNN.v2"',
        '@architectures = "someone.RunsCode.v1"',
    ),
    "a network with torch's pickles": (
        r'^@architectures = "spacy.HashEmbedCNN.v2"',
        '@architectures = "spacy.TorchBiLSTMEncoder.v1"',
    ),
    "another registry": (r'^@scorers = "spacy.ner_scorer.v1"', '@callbacks = "any.v1"'),
    "a tokenizer with code": (
        r'^@tokenizers = "spacy.Tokenizer.v1"',
        '@tokenizers = "evil.Tokenizer.v1"',
    ),
    "a callback": (
        r"^after_creation = null",
        'after_creation = {"@callbacks": "evil.v1"}',
    ),
    "an unknown factory": (r'^factory = "ner"', 'factory = "evil"'),
    "rules that set entities": (r'^factory = "sentencizer"', 'factory = "entity_ruler"'),
    "another pipeline": (r'^factory = "ner"', 'source = "/elsewhere"'),
    "also another pipeline": (r'^factory = "ner"', 'factory = "ner"\nsource = "/elsewhere"'),
    "a function in a value": (
        r"^\[components.ner\]",
        '[components.ner]\nother = {"\\u0040misc": "evil.v1"}',
    ),
    "a function by reference": (
        r"^\[components.ner\]",
        '[evil]\n@misc = "evil.v1"\n\n[components.ner]\nother = ${evil}',
    ),
    "references that grow": (r"^moves = null", 'moves = "${nlp.lang}${nlp.lang}"'),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_pipeline_that_would_call_anything_else_is_refused(
    made: Path, tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("spaCy was asked to load it")

    monkeypatch.setattr("unslant.models.spacy._load_pipeline", never)
    folder = changed(made, tmp_path / "bad", *HOSTILE[case])
    with pytest.raises(UnsafeFileError):
        load_spacy(folder)


def test_names_that_are_no_language_are_not_imported(made: Path, tmp_path: Path) -> None:
    with pytest.raises(DamagedFileError, match="names no language"):
        load_spacy(changed(made, tmp_path / "a", r'^lang = "en"', 'lang = "os.path"'))
    with pytest.raises(UnslantError, match='spaCy has no language "qqq"'):
        load_spacy(changed(made, tmp_path / "b", r'^lang = "en"', 'lang = "qqq"'))


def test_links_out_of_the_folder_and_pickled_vectors_are_refused(
    made: Path, tmp_path: Path
) -> None:
    folder = changed(made, tmp_path / "link", r"^seed = 0", "seed = 1")
    (folder / "ner" / "extra").symlink_to("/etc/passwd")
    with pytest.raises(UnsafeFileError, match="link that leads out"):
        load_spacy(folder)
    (folder / "ner" / "extra").unlink()
    load_spacy(folder)
    marker = tmp_path / "ran"

    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(marker),)

    with (folder / "vocab" / "vectors").open("wb") as stream:
        np.save(stream, np.array([Evil()], dtype=object), allow_pickle=True)
    with pytest.raises(DamagedFileError, match="cannot load the pipeline"):
        load_spacy(folder)
    assert not marker.exists()


def test_damage_and_other_versions_are_one_sentence(made: Path, tmp_path: Path) -> None:
    folder = changed(made, tmp_path / "cut", r"^seed = 0", "seed = 1")
    weights = folder / "ner" / "model"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(DamagedFileError, match="cannot load the pipeline"):
        load_spacy(folder)
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({**meta, "spacy_version": ">=2.1,<2.2"}))
    with pytest.raises(UnslantError, match=r"is for spaCy >=2.1,<2.2, but"):
        load_spacy(folder)
    (folder / "meta.json").write_text(json.dumps({**meta, "spacy_version": "never"}))
    with pytest.raises(DamagedFileError, match="is no version"):
        load_spacy(folder)
    (folder / "config.cfg").write_text("[nlp\n")
    with pytest.raises(DamagedFileError, match=r"config\.cfg cannot be read"):
        load_spacy(folder)
    with pytest.raises(UnslantError, match="it has no component ner"):
        load_spacy(changed(made, tmp_path / "x", r"^pipeline = .*$", 'pipeline = ["sentencizer"]'))


def test_the_real_pipeline_gives_the_tags_that_spacy_itself_gives() -> None:
    folder = real_model("spacy-md")
    sentences = list(tagged_sentences(data_folder("ner/conll2003"), "testb"))[100:180]
    found = load_spacy(folder).tag([sentence.words for sentence in sentences])
    nlp = spacy.load(folder)
    persons = 0
    for sentence, tags in zip(sentences, found, strict=True):
        doc = nlp(spacy.tokens.Doc(nlp.vocab, words=list(sentence.words)))
        pairs = ((word.ent_iob_, word.ent_type_) for word in doc)
        assert tags == tuple("O" if iob in ("O", "") else f"{iob}-{kind}" for iob, kind in pairs)
        persons += tags.count("B-PERSON")
    assert persons > 10
