"""Other names in the place of persons: exact spans, one sentence in memory at a time."""

import gc
import tracemalloc
import weakref
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from tests.language_models import data_folder
from unslant.concepts.augmentation import Filled, augmented, masked, slots
from unslant.concepts.name_table import DUTTA, name_table
from unslant.datasets.conll2003 import Span, TaggedSentence, tagged_sentences

TWO = TaggedSentence(
    ("Ann", "Lee", "met", "BOB", "."), ("I-PER", "I-PER", "O", "I-PER", "O"), line=1
)
NEIGHBOURS = TaggedSentence(("Ann", "Bob", "ran"), ("I-PER", "B-PER", "O"))


def test_each_mention_is_replaced_alone_and_the_others_stay() -> None:
    found = [(item.text, item.spans) for item in augmented([TWO], ["Tia", "Jo Ann"])]
    assert found == [
        ("Tia met BOB .", (Span(0, 0, "PER"),)),
        ("Jo Ann met BOB .", (Span(0, 1, "PER"),)),
        ("Ann Lee met TIA .", (Span(3, 3, "PER"),)),
        ("Ann Lee met JO ANN .", (Span(3, 4, "PER"),)),
    ]


def test_all_mentions_can_be_replaced_at_once() -> None:
    [found] = augmented([TWO], ["Jo Ann"], mentions="all")
    assert found.text == "Jo Ann met JO ANN ."
    assert found.spans == (Span(0, 1, "PER"), Span(3, 4, "PER"))
    assert found.sentence.tags == ("I-PER", "I-PER", "O", "I-PER", "I-PER", "O")
    assert [found.text[start:end] for start, end in found.characters()] == ["Jo Ann", "JO ANN"]


def test_neighbouring_persons_stay_two() -> None:
    for filled in augmented([NEIGHBOURS], ["Jo Ann"]):
        assert len(filled.sentence.spans("PER")) == 2
        assert filled.spans[0] in filled.sentence.spans("PER")


def test_initials_do_not_make_a_name_capital_and_headlines_do() -> None:
    mentions = {"J.P.": "Tia", "J": "Tia", "LEE": "TIA", "O'NEAL": "TIA", "lee": "Tia"}
    for mention, expected in mentions.items():
        sentence = TaggedSentence((mention,), ("I-PER",))
        assert [item.text for item in augmented([sentence], ["Tia"])] == [expected]


def test_sentences_without_a_person_give_nothing_and_numbers_count_them() -> None:
    without = TaggedSentence(("It", "rains"), ("O", "O"))
    assert [slot.number for slot in slots([without, TWO, without, NEIGHBOURS])] == [1, 1, 3, 3]


def test_masks_hide_every_person_and_keep_the_rest() -> None:
    assert masked(TWO) == "[NAME] met [NAME] ."
    assert masked(NEIGHBOURS, "some one") == "some one some one ran"


WORDS = st.lists(st.text("abC.", min_size=1, max_size=4), min_size=1, max_size=6)


@given(WORDS, st.data())
def test_the_spans_hold_the_name_and_nothing_else(words: list[str], data: st.DataObject) -> None:
    tags = data.draw(
        st.lists(
            st.sampled_from(["O", "I-PER", "B-PER", "I-LOC"]),
            min_size=len(words),
            max_size=len(words),
        )
    )
    sentence = TaggedSentence(tuple(words), tuple(tags))
    for mentions in ("each", "all"):
        for filled in augmented([sentence], ["Mary Ann Q", "Tia"], mentions=mentions):
            shown = [" ".join(filled.sentence.words[a : b + 1]) for a, b, _ in filled.spans]
            assert {text.lower() for text in shown} == {filled.name.lower()}
            assert [filled.text[a:b] for a, b in filled.characters()] == shown
            assert len(filled.sentence.spans()) == len(sentence.spans())
            assert set(filled.spans) <= set(filled.sentence.spans("PER"))


def test_no_more_than_one_augmented_sentence_is_alive_at_a_time() -> None:
    alive: weakref.WeakSet[Filled] = weakref.WeakSet()
    read = 0

    def source() -> Iterator[TaggedSentence]:
        nonlocal read
        for _ in range(50):
            read += 1
            yield TWO

    most = 0
    for count, filled in enumerate(augmented(source(), [f"N{number}" for number in range(40)])):
        alive.add(filled)
        del filled
        most = max(most, len(alive))
        assert read == count // 80 + 1  # a sentence is read when its turn comes, not before
    gc.collect()
    assert count == 50 * 2 * 40 - 1
    assert most <= 1


def test_the_40_names_in_testb_never_hold_more_than_a_block() -> None:
    folder = data_folder("ner/conll2003")
    names = name_table(DUTTA).names
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    count, characters = 0, 0
    for filled in augmented(tagged_sentences(folder), names):
        count += 1
        characters += len(filled.text)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 1617 * 40  # every person of the published count with every name
    assert most - before < 2 << 20 < characters / 3  # 1.2 MB: one block of the file, as lines
