"""CoNLL-2012 files: every layout in use is read, damage is named with its line, and back again."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.language_models import data_folder
from unslant.core.errors import DamagedFileError, FileFormatError, UnslantError
from unslant.datasets.coreference.conll2012 import (
    BadBracketError,
    Brackets,
    read_documents,
    read_file,
    read_folder,
    write_file,
    written,
)
from unslant.datasets.coreference.document import (
    CorefDocument,
    Span,
    bracketed,
    cut,
    deduplicated,
    in_text_order,
    without_singletons,
)

ONTONOTES = """#begin document (nw/wsj_1); part 000
nw/wsj_1   0   0   She    PRP  (TOP*   -  -  -  -  *  (ARG0*)   (3)
nw/wsj_1   0   1   saw    VBD  *       -  -  -  -  *  (V*)      -

nw/wsj_1   0   0   her    PRP$ *       -  -  -  -  *            (4|(3)
nw/wsj_1   0   1   dog    NN   *       -  -  -  -  *            4)
#end document
#begin document (nw/wsj_1); part 001
nw/wsj_1   1   0   Rain   NN   *       -  -  -  -  *            -
#end document
"""
LITBANK = "\n".join(
    [
        "#begin document (11_alice); part 0",
        "\t".join(["11_alice", "0", "0", "Alice", *"________", "(0)"]),
        "\t".join(["11_alice", "0", "1", "ran", *"________", ""]),
        "",
        "#end document",
        "",
    ]
)


def saved(folder: Path, text: str, name: str = "a.conll") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_ontonotes_may_change_its_number_of_columns_between_sentences(tmp_path: Path) -> None:
    first, second = read_file(saved(tmp_path, ONTONOTES))
    assert first.name == "nw/wsj_1"
    assert first.sentences == (("She", "saw"), ("her", "dog"))
    assert first.clusters == (((0, 1), (2, 3)), ((2, 4),))
    assert first.text((2, 4)) == "her dog"
    assert (second.name, second.words, second.clusters) == ("nw/wsj_1 (part 1)", ("Rain",), ())


def test_litbank_leaves_its_last_column_empty(tmp_path: Path) -> None:
    (document,) = read_file(saved(tmp_path, LITBANK))
    assert document.words == ("Alice", "ran")
    assert document.clusters == (((0, 1),),)


def rows(*cells: str) -> str:
    lines = [f"d 0 {number} w{number} {cell}" for number, cell in enumerate(cells)]
    return "\n".join(["#begin document (d);", *lines, "#end document", ""])


def test_a_span_in_two_clusters_stays_in_the_one_named_first(tmp_path: Path) -> None:
    # Cluster 1 is older, but the cell names 3 before it.
    (document,) = read_file(saved(tmp_path, rows("(1)", "(3(1", "3)1)", "(3)")))
    assert document.clusters == (((0, 1),), ((1, 3), (3, 4)))


def test_a_span_repeated_in_one_cluster_is_a_mention_once(tmp_path: Path) -> None:
    (document,) = read_file(saved(tmp_path, rows("(1(1", "1)1)", "(1)")))
    assert document.clusters == (((0, 2), (2, 3)),)


def test_mentions_of_one_cluster_nest(tmp_path: Path) -> None:
    (document,) = read_file(saved(tmp_path, rows("(7", "(7)|(7", "7)", "7)")))
    assert document.clusters == (((0, 4), (1, 2), (1, 3)),)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (rows("(1", "-"), "line 2", "never ends"),
        (rows("-", "1)"), "line 3", "never began"),
        (rows("-", "(1"), "line 3", "never ends"),
        (rows("(1", "x", "1)"), "line 3", "in the last column"),
        (rows("-").replace("d 0 0 w0 -", "d 0 0 w0 -\nd 0 1 w1 - -"), "line 3", "6 columns"),
        (rows("-").replace("#end document", ""), "line 1", "no #end document"),
        ("d 0 0 w -\n", "line 1", "#begin document"),
        ("#end document\n", "line 1", "without a #begin"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, text: str, line: str, says: str) -> None:
    with pytest.raises((DamagedFileError, FileFormatError)) as error:
        list(read_file(saved(tmp_path, text)))
    assert line in str(error.value)
    assert says in str(error.value)


def test_a_file_without_documents_or_in_other_bytes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no documents"):
        list(read_file(saved(tmp_path, "# nothing\n")))
    path = tmp_path / "latin.conll"
    path.write_bytes(rows("-").replace("w0", "é").encode("latin-1"))
    with pytest.raises(FileFormatError, match=r"line 2: byte .* not valid UTF-8"):
        list(read_file(path))
    with pytest.raises(FileFormatError, match="no file"):
        list(read_file(tmp_path / "none.conll"))


SPANS = st.integers(0, 7).flatmap(lambda a: st.tuples(st.just(a), st.integers(a + 1, 8)))


@given(st.lists(st.lists(SPANS, min_size=1, max_size=4), max_size=4))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, made: list[list[Span]]
) -> None:
    clusters = in_text_order(deduplicated(made))
    document = CorefDocument("book", (tuple("abc"), tuple("defgh")), clusters)
    if any(crosses(a, b) for cluster in clusters for a in cluster for b in cluster):
        with pytest.raises(UnslantError, match="cross"):
            written([document])
        return
    path = tmp_path_factory.mktemp("written") / "a.conll"
    write_file(path, [document])
    assert list(read_file(path)) == [document]


def crosses(a: Span, b: Span) -> bool:
    return a[0] < b[0] < a[1] < b[1]


def test_a_folder_prefers_gold_syntax_and_refuses_a_document_twice(tmp_path: Path) -> None:
    saved(tmp_path, ONTONOTES, "x.v4_gold_conll")
    saved(tmp_path, ONTONOTES, "x.v4_auto_conll")
    assert len(read_folder(tmp_path)) == 2
    saved(tmp_path, ONTONOTES, "y.conll")
    with pytest.raises(FileFormatError, match=r"is in .*y\.conll and already in .*gold_conll"):
        read_folder(tmp_path)
    with pytest.raises(FileFormatError, match="contains no CoNLL-2012 files"):
        empty = tmp_path / "empty"
        empty.mkdir()
        read_folder(empty)


def test_clusters_of_a_document_are_checked() -> None:
    with pytest.raises(UnslantError, match="has 1 words, but a mention from word 0 up to word 2"):
        CorefDocument("d", (("a",),), (((0, 2),),))
    with pytest.raises(UnslantError, match="a mention twice"):
        CorefDocument("d", (("a",),), (((0, 1),), ((0, 1),)))
    assert without_singletons([[(0, 1)], [(1, 2), (2, 3)]]) == (((1, 2), (2, 3)),)


def test_names_and_words_with_spaces_cannot_be_written() -> None:
    with pytest.raises(UnslantError, match="name without spaces"):
        written([CorefDocument("a b", (("x",),))])
    with pytest.raises(UnslantError, match="word with spaces"):
        written([CorefDocument("a", (("x y",),))])


def test_litbank_is_read_and_written_without_loss(tmp_path: Path) -> None:
    documents = read_folder(data_folder("coref/litbank"))
    assert len(documents) == 90
    assert sum(len(one.words) for one in documents) == 187_071
    assert sum(len(one.mentions) for one in documents) == 25_934
    write_file(tmp_path / "all.conll", documents)
    assert read_documents(tmp_path / "all.conll") == documents


def test_words_are_cut_as_in_the_conll_files_and_where_asked() -> None:
    assert cut("The nurse 's well-known car, isn't it?").words == (
        *("The", "nurse", "'s", "well-known", "car", ",", "is", "n't", "it", "?"),
    )
    found = cut("Annabel's", (4,))
    assert (found.words, found.span(0, 4)) == (("Anna", "bel", "'s"), (0, 1))
    assert bracketed("asked [ the nurse] if [she] ...")[1] == [(1, 3), (4, 5)]
    with pytest.raises(ValueError, match="brackets do not match"):
        bracketed("[a [b] c]")


@pytest.mark.parametrize("cell", ["a" * 1_000_000, "(" + "a" * 1_000_000, "a|" * 200_000])
def test_a_long_cell_is_read_in_linear_time(cell: str) -> None:
    # Quadratic time would reach the time limit of a test.
    brackets = Brackets()
    with pytest.raises(BadBracketError) as refused:
        brackets.add(cell)
        brackets.clusters()
    assert len(str(refused.value)) < 100
