"""How a corpus is read: nothing twice, nothing kept, names hidden, everything left out counted."""

import tracemalloc
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from tests.language_models import data_folder, real_model
from tests.probes.aceat.constructed import SENTENCES, TABLE, Tokens, Words, corpus, tagged
from unslant.concepts import augmentation
from unslant.concepts.augmentation import Filled, masked
from unslant.concepts.name_table import DUTTA, name_table
from unslant.core.errors import UnslantError
from unslant.core.exhibits import Table
from unslant.datasets.conll2003 import tagged_sentences
from unslant.measures.setting import Findings, Setting
from unslant.predictors.protocols import NameInContext
from unslant.probes.aceat.corpus import AceatCorpus, Labeller, labelled_rows
from unslant.probes.aceat.cosines import SlotReading
from unslant.probes.aceat.probe import Aceat
from unslant.probes.person_mentions import source_of


def run(encoder: Any, asked: AceatCorpus, **options: Any) -> Findings:
    return Aceat(**{"resamples": 50, **options}).run(encoder, asked, Setting())


def test_the_scorer_never_sees_a_name_and_each_distinct_text_once() -> None:
    scorer = Words()
    asked = corpus(scorer=scorer)
    for seed in (0, 1):  # another model: nothing is scored again
        run(Tokens(seed), asked)
    seen = " ".join(scorer.texts)
    assert not {word for word in seen.split() if word.istitle()}
    persons = [sentence for sentence in SENTENCES if sentence.spans("PER")]
    assert sorted(scorer.texts) == sorted({masked(sentence) for sentence in persons})
    asked.subject()  # asks for the score of the mask, once
    asked.subject()
    assert scorer.texts.count("[NAME]") == 2  # of the mask, and of the sentence "Ida"


@pytest.mark.parametrize("texts", [8, 4_096])
def test_a_repeated_sentence_is_encoded_once_and_counts_twice(
    texts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.probes.aceat.cosines.TEXTS_IN_A_BLOCK", texts)
    encoder = Tokens()
    findings = run(encoder, corpus())
    assert len(encoder.texts) == len(set(encoder.texts)) == 12 * len(TABLE)
    details = findings.measurements[0].details
    assert (details["positive-mentions"], details["negative-mentions"]) == (8, 5)


def test_everything_that_is_left_out_is_counted() -> None:
    class Short(Tokens):
        def name_and_rest(self, texts: Sequence[str], spans: Any, place: str = "last") -> Any:
            names, rests = map(np.array, super().name_and_rest(texts, spans, place))
            names[[len(text.split()) > 8 for text in texts]] = np.nan
            return names, rests

    class Eager(Words):
        known = MappingProxyType({**Words.known, "[NAME]": 0.01})

    said = {item.what: item.why for item in run(Short(), corpus(scorer=Eager())).left_out}
    assert list(said) == [
        "2 neutral sentences",  # "Kim left" and "Ida" are within 0.05 of 0
        "3 mentions in sentences that the model cannot read",
        "1 sentences without a person",
    ]
    findings = run(Short(), corpus(scorer=Eager(), neutral=0.0))
    assert "1 mentions that are the whole sentence" in {item.what for item in findings.left_out}
    with_two_words = "good old Cy Lou and Pat sang a song for Ivy"
    assert len(with_two_words.split()) > 8  # one name too long is enough to leave a mention out


def test_a_sample_is_drawn_by_its_seed_and_stated() -> None:
    asked = corpus(limit=4, seed=1)
    texts = [str(sentence) for sentence in asked.sentences()]
    assert len(texts) == len(asked) == 4
    assert texts == [str(sentence) for sentence in asked.sentences()]
    assert texts != [str(sentence) for sentence in corpus(limit=4, seed=2).sentences()]
    facts = asked.subject().facts
    assert (facts["sentences-used"], facts["sentences-with-a-person"]) == (4, 11)
    assert asked.content_hash != corpus().content_hash
    said = [item.what for item in run(Tokens(), corpus(limit=10)).left_out]
    assert "1 sentences that were not drawn" in said


def test_the_subject_says_how_sentiment_was_found_and_labels_can_be_written() -> None:
    asked = corpus()
    facts = asked.subject().facts
    assert facts["sentiment"] == "words"
    assert facts["mask"] == "[NAME]"
    assert facts["score-of-the-mask"] == 0
    rows = list(labelled_rows(asked))
    assert rows[0][1:] == ("[NAME] did a good job", "positive", "0.8")
    assert rows[3][1:] == ("[NAME] left", "neutral", "0")
    assert rows[5][1:] == ("a poor game by [NAME]", "negative", "0.1")
    tables = [item for item in run(Tokens(), asked).exhibits if isinstance(item, Table)]
    [labels] = [item for item in tables if item.id == "sentiment"]
    assert [row[:3] for row in labels.rows] == [("positive", 5, 8), ("negative", 4, 5)]
    assert [row[3] for row in labels.rows] == pytest.approx([5.9 / 8, 2.5 / 5])


def test_all_mentions_at_once_give_one_slot_for_each_sentence() -> None:
    class Marks(Tokens):
        def name_and_rest(self, texts: Sequence[str], spans: Any, place: str = "last") -> Any:
            for text, mine in zip(texts, spans, strict=True):
                assert len({text[start:end] for start, end in mine}) == 1
            return super().name_and_rest(texts, [mine[:1] for mine in spans], place)

    findings = run(Marks(), replace(corpus(), mentions="all"))
    details = findings.measurements[0].details
    assert (details["positive-mentions"], details["negative-mentions"]) == (5, 4)


def test_bad_scores_empty_masks_and_wrong_shapes_are_refused() -> None:
    class Loud(Words):
        def score(self, texts: Sequence[str]) -> list[float]:
            return [7.0] * len(texts)

    class Wrong(Tokens):
        def name_and_rest(self, texts: Sequence[str], spans: Any, place: str = "last") -> Any:
            return np.ones((len(texts), 3)), np.ones((len(texts), 4))

    with pytest.raises(UnslantError, match="not one number from −1 to 1"):
        run(Tokens(), corpus(scorer=Loud()))
    with pytest.raises(UnslantError, match="expected two of the same shape"):
        run(Wrong(), corpus())
    with pytest.raises(UnslantError, match="mask is empty"):
        Labeller("vader", mask=" ", neutral=0, kind="PER")
    with pytest.raises(UnslantError, match="no sentence with an entity of the kind PERSON"):
        len(replace(corpus(), kind="PERSON"))
    with pytest.raises(UnslantError, match="at least two groups"):
        run(Tokens(), corpus(table=replace(TABLE, values=(("f", "a"),) * 8)))


def test_a_corpus_of_one_sentiment_has_no_score_and_says_why() -> None:
    findings = run(Tokens(), corpus([tagged("a good day for Bob")]))
    assert len(findings.measurements) == 9
    assert {item.value for item in findings.measurements} == {None}
    assert "no usable sentence of given sentences is negative by words" in {
        item.why_undefined for item in findings.measurements
    }
    assert not findings.exhibits


def many(path: Path, copies: int) -> Path:
    """A file in which no sentence repeats."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(copies):
            word = "good" if number % 2 else "bad"
            file.write(f"w{number} O\n{word} O\nAnn B-PER\n\n")
    return path


def test_memory_does_not_grow_with_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.probes.aceat.cosines.TEXTS_IN_A_BLOCK", 64)
    monkeypatch.setattr("unslant.probes.aceat.cosines._NUMBERS_KEPT", 256)
    monkeypatch.setattr("unslant.probes.aceat.corpus.MOST_KEPT", 32)

    class Forgetful(Tokens):
        def name_and_rest(self, texts: Sequence[str], spans: Any, place: str = "last") -> Any:
            rng = np.random.default_rng(len(texts))
            return rng.normal(size=(2, len(texts), 4))

    most = []
    for copies in (20, 150, 1_500):  # the first imports what is imported when it is needed
        asked = replace(corpus(), source=source_of(many(tmp_path / f"{copies}.txt", copies)))
        len(asked)
        tracemalloc.start()
        run(Forgetful(), asked, permutations=99)
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[2] < 1.2 * most[1]  # the larger file has ten times as many sentences


def test_no_more_augmented_sentences_live_than_a_block_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The 40 names in testb, 64,680 sentences, with at most 4,096 at a time."""
    folder = data_folder("ner/conll2003")
    alive: weakref.WeakSet[Filled] = weakref.WeakSet()
    most = total = 0
    original = augmentation.Slot.filled

    def counted(slot: augmentation.Slot, name: str) -> Filled:
        nonlocal most, total
        made = original(slot, name)
        alive.add(made)
        total += 1
        most = max(most, len(alive))
        return made

    class Ones(Tokens):
        def name_and_rest(self, texts: Sequence[str], spans: Any, place: str = "last") -> Any:
            return np.ones((len(texts), 2)), np.ones((len(texts), 2))

    class Positive(Words):
        def score(self, texts: Sequence[str]) -> list[float]:
            return [0.5] * len(texts)

    monkeypatch.setattr(augmentation.Slot, "filled", counted)
    sentences = replace(
        corpus(scorer=Positive(), table=name_table(DUTTA)), source=source_of(folder, "testb")
    )
    reading = SlotReading(Ones(), sentences, "last")
    seen = sum(len(block.keys) for block in reading.blocks())
    assert seen == 1_617
    assert 50_000 < total <= 64_680  # repeated sentences are encoded once
    assert most <= 4_096


def test_what_is_remembered_of_the_sentiment_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unslant.probes.aceat.corpus.MOST_KEPT", 2)
    scorer = Words()
    labeller = Labeller(scorer, mask="x", neutral=0.05, kind="PER")
    sentences = [tagged(f"w{number} good Bob") for number in range(3)]
    assert labeller.scores(sentences) == [0.8] * 3
    labeller.scores(sentences[2:])  # remembered
    labeller.scores(sentences[:1])  # forgotten for the third, and scored again
    assert len(scorer.texts) == 4


def plain_minilm(sentences: Sequence[Any], names: Sequence[str], scores: Sequence[float]) -> Any:
    """m by transformers and loops: one sentence at a time, pieces found word by word."""
    import torch
    import transformers

    from tests.real_models import real_model as folder_of

    folder = folder_of("minilm")
    network = transformers.AutoModel.from_pretrained(folder).eval()
    tokens = transformers.AutoTokenizer.from_pretrained(folder)
    found = []
    for name in names:
        sums = {True: [0.0, 0.0], False: [0.0, 0.0]}
        for sentence, score in zip(sentences, scores, strict=True):
            for first, last, _ in sentence.spans("PER"):
                words = [*sentence.words[:first], name, *sentence.words[last + 1 :]]
                given = tokens(words, is_split_into_words=True, return_tensors="pt")
                with torch.no_grad():
                    state = network(**given).last_hidden_state[0].double()
                owner = given.word_ids()
                mine = state[[place for place, word in enumerate(owner) if word == first]]
                rest = state[[p for p, w in enumerate(owner) if w not in (None, first)]]
                cosine = torch.cosine_similarity(mine.mean(dim=0), rest.sum(dim=0), dim=0)
                sums[score > 0][0] += abs(score) * float(cosine)
                sums[score > 0][1] += abs(score)
        found.append(sums[True][0] / sums[True][1] - sums[False][0] / sums[False][1])
    return found


def sentiment_sentences(count: int) -> Iterator[Any]:
    """Short sentences of testb with one person, positive and negative by turns."""
    pytest.importorskip("vaderSentiment")
    labeller = Labeller("vader", mask="[NAME]", neutral=0.05, kind="PER")
    wanted = 1
    for sentence in tagged_sentences(data_folder("ner/conll2003")):
        if len(sentence.spans("PER")) == 1 and len(sentence.words) < 15 and count:
            [score] = labeller.scores([sentence])
            if score * wanted > 0 and not str(sentence).isupper():
                yield sentence, score
                wanted, count = -wanted, count - 1


def test_minilm_agrees_with_plain_transformers_on_real_sentences() -> None:
    model = real_model("minilm")
    sentences, scores = zip(*sentiment_sentences(4), strict=True)
    names = name_table(DUTTA).names[::8]
    asked = replace(
        corpus(sentences),
        labeller=Labeller("vader", mask="[NAME]", neutral=0.05, kind="PER"),
        names=replace(name_table(DUTTA), names=names, values=tuple(name_table(DUTTA).values[::8])),
    )
    predictor = model.predictor(NameInContext)
    findings = run(predictor, asked, by="gender", resamples=0)
    expected = np.array(plain_minilm(sentences, names, scores))
    groups = asked.names.groups("gender")
    rows = {name: row for row, name in enumerate(names)}
    first, second = ([expected[rows[name]] for name in groups[g]] for g in ("female", "male"))
    [gender] = findings.measurements
    difference = np.mean(first) - np.mean(second)
    assert gender.details["difference-of-means"] == pytest.approx(difference, abs=1e-5)
    assert gender.value == pytest.approx(difference / expected.std(ddof=1), abs=1e-3)
    assert gender.details["place"] == "layer:-1"
