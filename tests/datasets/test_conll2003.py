"""Tagged sentences in columns: read one by one, entities exact, damage named with its line."""

import gzip
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.language_models import data_folder
from unslant.core.errors import DamagedFileError, FileFormatError
from unslant.datasets.conll2003 import Span, TaggedSentence, tagged_file, tagged_sentences

OFFICIAL = """-DOCSTART- -X- -X- O

Ann NNP I-NP I-PER
Lee NNP I-NP I-PER
Bob NNP I-NP B-PER
met VBD I-VP O
U.N. NNP I-NP I-ORG
staff NN I-NP O

-DOCSTART- -X- -X- O

OK UH I-INTJ O
"""


def written(folder: Path, text: str, name: str = "eng.testb") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_official_layout_is_read_sentence_by_sentence(tmp_path: Path) -> None:
    first, second = tagged_sentences(written(tmp_path, OFFICIAL))
    assert first.words == ("Ann", "Lee", "Bob", "met", "U.N.", "staff")
    assert first.tags == ("I-PER", "I-PER", "B-PER", "O", "I-ORG", "O")
    assert (first.line, second.line) == (3, 12)
    assert str(second) == "OK"


def test_adjacent_persons_are_told_apart_in_iob1_and_in_iob2() -> None:
    words = ("Ann", "Lee", "Bob", "ran", "U.N.", "Kofi")
    spans = (Span(0, 1, "PER"), Span(2, 2, "PER"), Span(4, 4, "ORG"), Span(5, 5, "PER"))
    iob1 = TaggedSentence(words, ("I-PER", "I-PER", "B-PER", "O", "I-ORG", "I-PER"))
    iob2 = TaggedSentence(words, ("B-PER", "I-PER", "B-PER", "O", "B-ORG", "B-PER"))
    assert iob1.spans() == iob2.spans() == spans
    assert iob1.iob2() == iob2
    assert iob1.spans("PER") == (spans[0], spans[1], spans[3])


KINDS = st.sampled_from(["PER", "LOC"])
PIECES = st.lists(st.tuples(st.one_of(st.none(), KINDS), st.integers(1, 3)), max_size=6)


@given(PIECES)
def test_every_segmentation_survives_both_schemes(pieces: list[tuple[str | None, int]]) -> None:
    spans, iob1, iob2 = [], [], []
    before = None
    for kind, length in pieces:
        if kind is None:
            iob1 += ["O"] * length
            iob2 += ["O"] * length
        else:
            spans.append(Span(len(iob1), len(iob1) + length - 1, kind))
            iob1 += ["B-" + kind if before == kind else "I-" + kind] + ["I-" + kind] * (length - 1)
            iob2 += ["B-" + kind] + ["I-" + kind] * (length - 1)
        before = kind
    words = ("w",) * len(iob1)
    assert TaggedSentence(words, tuple(iob1)).spans() == tuple(spans)
    assert TaggedSentence(words, tuple(iob1)).iob2().tags == tuple(iob2)


def test_other_columns_tabs_and_schemes_that_mark_ends_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "Ann\tS-person\nLee\tB-person\nYu\tE-person\n\u00a0\tO\r\n\r\n", "x")
    [sentence] = tagged_sentences(path)
    assert sentence.words == ("Ann", "Lee", "Yu", "\u00a0")
    assert sentence.spans() == (Span(0, 0, "person"), Span(1, 2, "person"))


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("Ann NNP O\nLee I-PER\n", DamagedFileError, "line 2: 2 columns, expected 3"),
        ("Ann O\n\nLee PER\n", FileFormatError, "line 3: the last column is 'PER', expected a tag"),
        ("Ann\n", FileFormatError, "line 1: one column"),
        ("Ann I-\n", FileFormatError, "line 1: the last column is 'I-'"),
        ("-DOCSTART- O\n\n", FileFormatError, "contains no tagged sentences"),
        ("a O\n" * 5_001, DamagedFileError, "line 5,001: a sentence of more than 5,000 words"),
    ],
)
def test_damage_is_named_with_its_line(
    tmp_path: Path, text: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        list(tagged_sentences(written(tmp_path, text)))


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"Ann O\nJos\xe9 I-PER\n")
    with pytest.raises(FileFormatError, match="line 2: byte 4 is not valid UTF-8"):
        list(tagged_sentences(path))


def test_a_folder_gives_the_part_that_is_asked_for(tmp_path: Path) -> None:
    written(tmp_path, "a O\n", "eng.testa")
    written(tmp_path, "b O\n", "test.txt")
    assert tagged_file(tmp_path, "testa").name == "eng.testa"
    assert [str(item) for item in tagged_sentences(tmp_path)] == ["b"]
    with pytest.raises(FileFormatError, match="contains no train part"):
        tagged_file(tmp_path, "train")
    with pytest.raises(FileFormatError, match="There is no file"):
        tagged_file(tmp_path / "absent")


def test_a_large_file_is_never_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_bytes(b"Ann NNP I-NP I-PER\nran VBD I-VP O\n\n" * 30_000)
    tracemalloc.start()
    count = sum(1 for _ in tagged_sentences(path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 30_000
    assert most < 1.1e6  # reading it whole takes several times its 1.1 MB


def test_a_file_may_be_gzip(tmp_path: Path) -> None:
    path = tmp_path / "eng.testb.gz"
    path.write_bytes(gzip.compress(OFFICIAL.encode()))
    assert [len(item.words) for item in tagged_sentences(path)] == [6, 1]


def test_the_corpus_has_the_published_numbers_of_sentences_and_entities() -> None:
    folder = data_folder("ner/conll2003")
    counts = {}
    for part in ("train", "testa", "testb"):
        entities: Counter[str] = Counter()
        sentences = 0
        for sentence in tagged_sentences(folder, part):
            sentences += 1
            entities.update(span.kind for span in sentence.spans())
        counts[part] = (sentences, *(entities[kind] for kind in ("LOC", "MISC", "ORG", "PER")))
    # Tables 1 and 2 of Tjong Kim Sang and De Meulder 2003, whose sentences include document lines:
    # 14,987, 3,466 and 3,684 with 946, 216 and 231 documents.
    assert counts["train"] == (14_987 - 946, 7140, 3438, 6321, 6600)
    assert counts["testa"] == (3_466 - 216, 1837, 922, 1341, 1842)
    assert counts["testb"] == (3_684 - 231, 1668, 702, 1661, 1617)
