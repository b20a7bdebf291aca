"""NLI data in every official layout: read, counted, de-duplicated, and refused where damaged."""

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.datasets.pairs_in import pairs_in
from unslant.core.errors import DamagedFileError, FileFormatError, UnsafeFileError
from unslant.datasets.nli import read_corpus
from unslant.datasets.nli.pairs import LABELS
from unslant.datasets.nli.text import tokenise

A, B, C = ("A man eats.", "He sleeps.", "contradiction"), ("X.", "Y.", "neutral"), ("P", "Q", "-")
ROWS = [A, B, C, ("Two dogs run.", "Dogs run.", "entailment")]
EXPECTED = [(first, second, LABELS.index(label)) for first, second, label in ROWS if label != "-"]
Rows = list[tuple[str, str, str]]


def jsonl(rows: Rows) -> str:
    return "".join(
        json.dumps({"pairID": "1", "gold_label": c, "sentence1": a, "sentence2": b}) + "\n"
        for a, b, c in rows
    )


def cad(rows: Rows) -> str:
    lines = ["sentence1\tsentence2\tgold_label", *("\t".join(row) for row in rows)]
    return "\n".join(lines) + "\n"


def snli_txt(rows: Rows) -> str:
    head = "gold_label\tsentence1_parse\tsentence1\tsentence2\tpairID\tlabel1\tlabel2\tlabel3"
    lines = (f"{c}\t(ROOT x)\t{a}\t{b}\t7.jpg#1r1n\t{c}" for a, b, c in rows)
    return "\r\n".join([head, *lines])


def sick(rows: Rows) -> str:
    head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
    return "\n".join([head, *(f"1\t{a}\t{b}\t4.5\t{c.upper()}" for a, b, c in rows)]) + "\n"


def subset(rows: Rows) -> str:
    number = {"neutral": 1, "contradiction": 2, "entailment": 3, "-": "-"}
    return "".join(f"{number[c]}\t{number[c]}\t{a}\t{b}\n" for a, b, c in rows)


def write_triple(folder: Path, rows: Rows, ending: str = "dev") -> Path:
    for part, column in (("s1", 0), ("s2", 1), ("labels", 2)):
        (folder / f"{part}.{ending}").write_text("".join(f"{row[column]}\n" for row in rows))
    return folder / f"s1.{ending}"


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a_train.jsonl", jsonl),
        ("a_train.txt", jsonl),
        ("train.tsv", cad),
        ("snli_1.0_train.txt", snli_txt),
        ("SICK_train.txt", sick),
        ("subset-2k.tsv", subset),
        ("other.tsv", lambda rows: subset([*rows[:2], rows[3]])),
    ],
)
@pytest.mark.parametrize("is_packed", [False, True])
def test_each_layout_gives_the_same_pairs(
    tmp_path: Path, name: str, write: Callable[[Rows], str], is_packed: bool
) -> None:
    content = write(ROWS).encode()
    path = tmp_path / (name + ".gz" * is_packed)
    path.write_bytes(gzip.compress(content) if is_packed else content)
    assert list(pairs_in(path)) == EXPECTED


@pytest.mark.parametrize("named", ["s1.dev", "s2.dev", "labels.dev"])
def test_sentences_and_labels_in_three_files_are_one_source(tmp_path: Path, named: str) -> None:
    write_triple(tmp_path, ROWS)
    assert list(pairs_in(tmp_path / named)) == EXPECTED


def test_four_premises_are_joined_without_the_names_of_their_images(tmp_path: Path) -> None:
    head = "ID\tpremise1\tpremise2\tpremise3\tpremise4\thypothesis\tneutral_judgments\tgold_label"
    row = (
        "1\t12.jpg#0/A man.\t12.jpg#1/He/she eats.\t12.jpg#2/Food.\t12.jpg#4/Hm.\tEats.\t0\tneutral"
    )
    (tmp_path / "mpe_train.txt").write_text(f"{head}\n{row}\n")
    (pair,) = pairs_in(tmp_path / "mpe_train.txt")
    assert pair == ("A man. He/she eats. Food. Hm.", "Eats.", LABELS.index("neutral"))


def test_a_byte_order_mark_and_a_missing_last_line_break_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + cad(ROWS).rstrip("\n").encode())
    assert list(pairs_in(path)) == EXPECTED


GOOD = json.dumps({"gold_label": "neutral", "sentence1": "A b.", "sentence2": "C d."}).encode()


def changed(**values: object) -> bytes:
    return json.dumps(json.loads(GOOD) | values).encode()


BAD_JSON = {
    "cut": (GOOD[:-5], "not JSON"),
    "blank": (b"", "not JSON"),
    "deep": (b"[" * 200_000, "not JSON"),
    "list": (b"[1]", "not an object"),
    "no key": (GOOD.replace(b"sentence2", b"sentence3"), 'no "sentence2"'),
    "number": (changed(sentence1=3), '"sentence1" is not a string'),
    "label": (changed(gold_label="maybe\x1b[31m"), r'unknown label "maybe\x1b[31m"'),
    "label null": (changed(gold_label=None), '"gold_label" is not a string'),
    "empty": (changed(sentence1=" \t"), "first sentence is empty"),
    "latin-1": (GOOD.replace(b"C d", b"C \xe9"), "not valid UTF-8"),
    "half": (GOOD.replace(b"C d", b"C \\ud800"), "half a surrogate pair"),
    "long": (GOOD.replace(b"C d", b"C" * 1_100_000), "more than 1,048,576 bytes"),
    "very long": (b"x" * 5_000_000, "more than 1,048,576 bytes"),
}
HEADED = b"sentence1\tsentence2\tgold_label\n"
BAD_ROWS = {
    "two columns": ("train.tsv", HEADED, b"a\tneutral", b"a\tb\tneutral", "2 columns, expected 3"),
    "five columns": ("train.tsv", HEADED, b"a\tb\tneutral\t\t", b"a\tb\tneutral", "5 columns"),
    "label in table": ("train.tsv", HEADED, b"a\tb\t2", b"a\tb\tneutral", 'unknown label "2"'),
    "bytes in table": (
        "train.tsv",
        HEADED,
        b"a\t\xff\tneutral",
        b"a\tb\tneutral",
        "not valid UTF-8",
    ),
    "three columns": ("subset-1.tsv", b"1\t1\ta\tb\n", b"1\ta\tb", b"2\t2\tc\td", "3 columns"),
    "label 4": ("subset-1.tsv", b"1\t1\ta\tb\n", b"4\t4\ta\tb", b"2\t2\tc\td", "1, 2 or 3"),
    "two labels": ("subset-1.tsv", b"1\t1\ta\tb\n", b"1\t2\ta\tb", b"2\t2\tc\td", "same label"),
    "empty cell": ("subset-1.tsv", b"1\t1\ta\tb\n", b"1\t1\ta\t", b"2\t2\tc\td", "second sentence"),
}
CASES = {
    **{kind: ("t.jsonl", GOOD + b"\n", bad, GOOD, why) for kind, (bad, why) in BAD_JSON.items()},
    **BAD_ROWS,
}


@pytest.mark.parametrize("kind", CASES)
def test_a_malformed_line_stops_the_reading_or_is_skipped_and_listed(
    tmp_path: Path, kind: str
) -> None:
    name, before, bad, after, why = CASES[kind]
    path, dev = tmp_path / name, tmp_path / "dev.jsonl"
    path.write_bytes(before + bad + b"\n" + after + b"\n")
    dev.write_text(jsonl([A]))
    with pytest.raises(DamagedFileError) as caught:
        read_corpus(train=path, dev=dev)
    message = str(caught.value)
    assert f"{path} line 2: " in message
    assert why in message
    assert "expected" in message
    assert "skip_bad;" in message
    assert "=" not in message.removeprefix(str(path))
    assert message.isprintable()
    record = read_corpus(train=path, dev=dev, skip_bad=True).train.record
    assert record["bad_lines"] == 1
    assert record["first_bad_lines"][0].startswith(f"{name} line 2: ")
    assert why in record["first_bad_lines"][0]
    assert record["read"] == (1 if before == HEADED else 2)


def test_skipped_lines_are_counted_over_all_splits(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("x\n" * 3 + jsonl([B]))
    (tmp_path / "dev.jsonl").write_text("x\n" + jsonl([A]))
    (tmp_path / "test.jsonl").write_text("x\n" + jsonl([A]))
    (tmp_path / "aside.jsonl").write_text("x\n" * 2 + jsonl([A]))
    aside = tmp_path / "aside.jsonl"
    assert read_corpus(tmp_path, held_out=aside, skip_bad=True).skipped == 7
    assert read_corpus(tmp_path, skip_bad=True).skipped == 5
    for name in ("train", "dev", "test"):
        (tmp_path / f"{name}.jsonl").write_text(jsonl([B if name == "train" else A]))
    assert read_corpus(tmp_path).skipped == 0


def test_only_the_first_ten_bad_lines_are_listed_but_all_are_counted(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("x\n" * 25 + jsonl([B]))
    (tmp_path / "dev.jsonl").write_text(jsonl([A]))
    record = read_corpus(tmp_path, skip_bad=True).train.record
    assert (record["bad_lines"], len(record["first_bad_lines"]), record["pairs"]) == (25, 10, 1)


@pytest.mark.parametrize("part", ["s1", "s2", "labels"])
def test_three_files_of_different_length_are_refused_or_cut_to_the_shortest(
    tmp_path: Path, part: str
) -> None:
    write_triple(tmp_path, [A, B])
    (tmp_path / "train.jsonl").write_text(jsonl([ROWS[3]]))
    with (tmp_path / f"{part}.dev").open("a") as stream:
        stream.write("neutral\n")
    with pytest.raises(DamagedFileError, match=r"line 3: .* has fewer lines than"):
        read_corpus(tmp_path)
    dev = read_corpus(tmp_path, skip_bad=True).dev
    assert (len(dev), dev.record["bad_lines"]) == (2, 1)


def test_a_missing_third_file_is_named(tmp_path: Path) -> None:
    path = write_triple(tmp_path, [A])
    (tmp_path / "labels.dev").unlink()
    with pytest.raises(FileFormatError, match=r"labels\.dev"):
        list(pairs_in(path))


def test_a_pair_without_label_may_have_empty_sentences(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text(jsonl([("", "", "-"), ("", "", "hidden"), A]))
    assert len(list(pairs_in(tmp_path / "train.jsonl"))) == 1


def test_what_is_no_data_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    for content in (b"", b"hello\n", b"a\tb\tc\n1\t2\t3\n", b"\xff\xfe\n", b"BZh91AY&SY"):
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match=r"xpected"):
            list(pairs_in(path))
    for absent in (tmp_path / "no.jsonl", tmp_path):
        with pytest.raises(FileFormatError, match=r"Cannot read"):
            list(pairs_in(absent))


def test_a_bomb_is_stopped_even_where_bad_lines_are_skipped(tmp_path: Path) -> None:
    for content in (b"0" * 40_000_000, (b" " * 999 + b"\n") * 20_000):
        path = tmp_path / "train.jsonl.gz"
        path.write_bytes(gzip.compress(content))
        with pytest.raises(UnsafeFileError, match=r"expands to far more than sentences"):
            list(pairs_in(path, skip_bad=True))
    path.write_bytes(gzip.compress(jsonl(ROWS).encode())[:-12])
    with pytest.raises(DamagedFileError, match=r"cannot be decompressed"):
        list(pairs_in(path, skip_bad=True))


def test_pairs_that_repeat_or_stand_in_held_out_data_are_not_trained_on(tmp_path: Path) -> None:
    spaced = ("A man  EATS .", "he sleeps .", "contradiction")
    train = [
        A,  # in dev, although spelt otherwise there
        B,
        ("x .", "y.", "entailment"),  # B again, with another label: the first one wins
        B,
        ("Y.", "X.", "neutral"),  # B the other way round is another pair
        ("X. Y", ".", "neutral"),  # the same tokens, divided elsewhere
        ("In test.", "Yes.", "neutral"),
        ("Put aside.", "Yes.", "neutral"),
        C,
    ]
    (tmp_path / "train.jsonl").write_text(jsonl(train))
    (tmp_path / "dev.jsonl").write_text(jsonl([spaced, spaced]))
    (tmp_path / "test.tsv").write_text(cad([("In test.", "Yes.", "entailment"), C]))
    (tmp_path / "probe.tsv").write_text(cad([("Put aside.", "Yes.", "entailment")]))
    splits = read_corpus(tmp_path, held_out=tmp_path / "probe.tsv")
    record = splits.train.record
    assert record["read"] == 9
    assert record["unlabelled"] == 1
    assert record["in_held_out_data"] == 3
    assert (record["repeated"], record["repeated_with_another_label"]) == (2, 1)
    assert record["pairs"] == len(splits.train) == 3
    assert splits.train.tokens(0) == (["x", "."], ["y", "."])
    assert splits.train.tokens(1) == (["y", "."], ["x", "."])
    assert splits.train.tokens(2) == (["x", ".", "y"], ["."])
    assert [LABELS[label] for label in splits.train.labels] == ["neutral"] * 3
    assert len(splits.dev) == 2, "the dev set keeps its repeats"
    assert splits.test is not None
    assert len(splits.test) == 1
    assert record["held_out"]["pairs"] == 1
    assert record["files_not_taken"] == {
        "probe.tsv": "its name contains neither train, dev nor test"
    }
    json.dumps([part.record for part in splits if part])


def test_the_arrays_and_the_vocabulary_are_as_written_here_by_hand(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text(jsonl([("A cat sat.", "A dog!", "entailment"), B]))
    (tmp_path / "dev.jsonl").write_text(jsonl([("The cat.", "Sat.", "neutral")]))
    train, dev, test = read_corpus(tmp_path)
    assert test is None
    assert train.vocabulary == ("the", "cat", ".", "sat", "a", "dog", "!", "x", "y")
    assert train.vocabulary is dev.vocabulary
    assert dev.premises.ids.tolist() == [0, 1, 2]
    assert train.premises.ids.tolist() == [4, 1, 3, 2, 7, 2]
    assert train.premises.offsets.tolist() == [0, 4, 6]
    assert train.hypotheses.lengths.tolist() == [3, 2]
    assert train.labels.tolist() == [0, 1]
    arrays = (train.premises.ids, train.premises.offsets, train.labels)
    assert [array.dtype.name for array in arrays] == ["int32", "int64", "int8"]
    (entry,) = train.record["files"]
    content = (tmp_path / "train.jsonl").read_bytes()
    assert entry["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_folder_is_divided_by_the_names_of_its_files(tmp_path: Path) -> None:
    for name in ("snli_train.jsonl", "snli_train.txt", "subset-1.jsonl", "SICK_trial.jsonl"):
        (tmp_path / name).write_text(jsonl([(name, name, "neutral")]))
    for name in ("README.txt", "train.pdf", "labels.train"):
        (tmp_path / name).write_text("anything")
    train, dev, _ = read_corpus(tmp_path)
    assert [entry["name"] for entry in train.record["files"]] == [
        "snli_train.jsonl",
        "subset-1.jsonl",
    ]
    assert [entry["name"] for entry in dev.record["files"]] == ["SICK_trial.jsonl"]
    assert set(train.record["files_not_taken"]) == {
        "snli_train.txt",
        "README.txt",
        "train.pdf",
        "labels.train",
    }


def test_files_that_are_named_take_the_place_of_those_found(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text(jsonl([A]))
    (tmp_path / "dev.jsonl").write_text(jsonl([B]))
    (tmp_path / "mine.jsonl").write_text(jsonl([ROWS[3]]))
    train, dev, _ = read_corpus(tmp_path, train=[str(tmp_path / "mine.jsonl")])
    assert train.tokens(0)[1] == ["dogs", "run", "."]
    assert len(dev) == 1


def test_a_folder_without_training_or_dev_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"no train data: expected a file such as"):
        read_corpus(tmp_path)
    (tmp_path / "train.jsonl").write_text(jsonl([A]))
    (tmp_path / "README").write_text("x")
    with pytest.raises(FileFormatError, match=r'no dev data.*given as dev data.*"README"'):
        read_corpus(tmp_path)
    with pytest.raises(FileFormatError, match=r"Cannot read .*Expected a folder"):
        read_corpus(tmp_path / "absent")
    (tmp_path / "dev_of_train.jsonl").write_text(jsonl([A]))
    with pytest.raises(FileFormatError, match=r"could mean train or dev data"):
        read_corpus(tmp_path)


def test_a_split_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text(jsonl([A, C]))
    (tmp_path / "dev.jsonl").write_text(jsonl([A]))
    with pytest.raises(DamagedFileError, match=r"No training pair in train\.jsonl"):
        read_corpus(tmp_path)


sentences = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(sentences, sentences, st.sampled_from(LABELS)), min_size=1))
def test_any_sentences_survive_jsonl_and_become_their_tokens(tmp_path: Path, rows: Rows) -> None:
    lines = [dict(zip(("sentence1", "sentence2", "gold_label"), row, strict=True)) for row in rows]
    path = tmp_path / "train.jsonl"
    for as_ascii in (True, False):
        text = "\n".join(json.dumps(line, ensure_ascii=as_ascii) for line in lines)
        path.write_bytes(text.encode())
        assert [(a, b, LABELS[c]) for a, b, c in pairs_in(path)] == rows
    dev = read_corpus(train=_other(tmp_path), dev=path).dev
    for row, (first, second, _) in enumerate(rows):
        assert dev.tokens(row) == (tokenise(first), tokenise(second))


def _other(folder: Path) -> Path:
    path = folder / "other.jsonl"
    # Too long to be generated by chance, so it is never taken for one of dev's.
    path.write_text(jsonl([("word " * 50, "word", "neutral")]))
    return path
