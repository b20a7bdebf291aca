"""Text as sentences in order, and the questions that are made of it."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unslant.core.errors import FileFormatError, UnslantError
from unslant.models.head_training.running_text import Marks, RunningText, pair_batches, read_text

MARKS = Marks(begin=1, end=2, gap=3, pieces=1_000)


class Letters:
    """A tokenizer with a piece for each word: its number."""

    def unframed(self, texts: list[str]) -> list[list[int]]:
        return [[int(word.strip(".x")) for word in text.split()] for text in texts]


def text_of(lengths: list[int]) -> RunningText:
    ids = np.concatenate([np.full(n, 10 + k, np.int32) for k, n in enumerate(lengths)])
    ends = np.concatenate([[0], np.cumsum(lengths)])
    follows = np.ones(len(lengths), bool)
    follows[-1] = False
    return RunningText(ids, ends, follows, {})


def read(path: Path, **options: Any) -> RunningText:
    return read_text(path, Letters(), **{"longest": 6, "most": 10_000, **options})  # type: ignore[arg-type]


def test_sentences_keep_their_order_and_know_what_follows_them(tmp_path: Path) -> None:
    lines = ["1 2 3 4. 5 6 7 8.", "9 9. 1 1 1 1.", "2 2 2 2 2 2 2. 3 3 3 3."] * 40
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    found = read(path)
    assert [found.sentence(n).tolist() for n in range(4)] == [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
        [1, 1, 1, 1],
        [3, 3, 3, 3],
    ]
    # What stood between two sentences was too short or too long, so neither follows the other.
    assert found.follows[:8].tolist() == [True, False, False, True, True, False, False, True]
    assert found.record["sentences"] == 160
    assert found.record["sentences_left_out"] == 80
    assert not found.follows[-1]
    assert len(read(path, most=150)) == 100
    assert read(path).content_hash == found.content_hash
    assert read(path, most=150).content_hash != found.content_hash


def test_lines_that_are_not_utf_8_are_named_or_counted(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"1 2 3 4.\n" * 60 + b"1 2 \xff\xfe 3.\n" + b"1 2 3 4.\n" * 60)
    with pytest.raises(FileFormatError, match=r"line 61 is not UTF-8 at byte 5.*skip_bad"):
        read(path)
    found = read(path, skip_bad=True)
    assert (found.record["malformed_lines"], found.record["first_malformed_lines"]) == (1, [61])
    assert len(found) == 120


def test_a_text_that_is_too_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("1 2 3 4.\n" * 99)
    with pytest.raises(UnslantError, match="has 99 sentences of 4 to 6 pieces; training needs at"):
        read(tmp_path / "text.txt")


def test_a_swap_acts_before_the_text_is_split_into_pieces(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("1 2 3 4.\n" * 100)
    found = read(tmp_path / "text.txt", swap=lambda text: text.replace("1", "8"))
    assert found.sentence(0).tolist() == [8, 2, 3, 4]


def test_pairs_are_framed_and_half_of_them_follow_the_text() -> None:
    text = text_of([4, 5, 6, 4, 7] * 200)
    firsts = np.flatnonzero(text.follows)
    rng = np.random.default_rng(0)
    seen, random = [], 0
    for batch in pair_batches(text, MARKS, firsts=firsts, size=16, rng=rng):
        original = batch.ids.copy()
        original[batch.asked] = batch.answers
        random += int(batch.is_random.sum())
        for row in range(len(batch)):
            ids = original[row][batch.is_piece[row]]
            ends = np.flatnonzero(ids == MARKS.end)
            assert ids[0] == MARKS.begin
            assert len(ends) == 2
            assert ends[1] == len(ids) - 1
            kinds = batch.kinds[row][batch.is_piece[row]]
            assert kinds.tolist() == [0] * (ends[0] + 1) + [1] * (len(ids) - ends[0] - 1)
            first, second = ids[1], ids[ends[0] + 1]
            seen.append(first - 10)
            if not batch.is_random[row]:
                assert second == first + 1
            assert not batch.is_piece[row][len(ids) :].any()
            assert (batch.ids[row][len(ids) :] == 0).all()
    assert sorted(seen) == firsts.tolist()  # each once
    assert 430 < random < 570


def test_pieces_are_asked_for_as_often_and_in_the_way_that_bert_was() -> None:
    text = text_of([30] * 900)
    batches = list(
        pair_batches(text, MARKS, firsts=np.arange(800), size=32, rng=np.random.default_rng(1))
    )
    asked = sum(len(batch.answers) for batch in batches)
    shown = np.concatenate([batch.ids[batch.asked] for batch in batches])
    truth = np.concatenate([batch.answers for batch in batches])
    assert asked / (800 * 60) == pytest.approx(0.15, abs=0.006)
    assert (shown == MARKS.gap).mean() == pytest.approx(0.8, abs=0.02)
    assert (shown == truth).mean() == pytest.approx(0.1, abs=0.015)
    assert min(truth) >= 10  # neither the frame nor the padding is asked for
    for batch in batches:
        untouched = np.ones_like(batch.ids, bool)
        untouched[batch.asked] = False
        assert not (batch.ids[untouched] == MARKS.gap).any()


def test_a_batch_asks_for_at_least_one_piece() -> None:
    text = text_of([4, 4])
    for seed in range(30):
        rng = np.random.default_rng(seed)
        [batch] = pair_batches(text, MARKS, firsts=np.array([0]), size=4, rng=rng)
        assert len(batch.answers) >= 1


def test_parts_of_a_text_end_where_they_end() -> None:
    text = text_of([4, 5, 6, 7])
    part = text.part(1, 3)
    assert [part.sentence(n).tolist() for n in range(2)] == [[11] * 5, [12] * 6]
    assert part.follows.tolist() == [True, False]
    both = part.then(text.part(0, 1))
    assert [both.sentence(n)[0] for n in range(3)] == [11, 12, 10]
    assert both.follows.tolist() == [True, False, False]
