"""A model asked: clusters are a partition, batches change nothing, candidates are respected."""

from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.made_coreference import SHAPE, WORDS, made_vectors, random_network
from unslant.core.errors import UnslantError
from unslant.models.coreference.layout import split_sentences
from unslant.predictors.coreference import AntecedentChooser, Coreference

torch = pytest.importorskip("torch", reason="the network needs torch")

documents = st.lists(st.lists(st.sampled_from(WORDS), max_size=30), min_size=1, max_size=6)


def resolver(seed: int = 0, *, singletons: bool = True) -> Coreference:
    from unslant.models.coreference.resolver import CorefResolver

    return CorefResolver(random_network(seed, kept=0.6), made_vectors(), singletons=singletons)


@settings(max_examples=25)
@given(documents, st.booleans())
def test_clusters_are_a_partition_and_many_documents_are_answered_as_one(
    given_documents: list[list[str]], singletons: bool
) -> None:
    model = resolver(singletons=singletons)
    found = model.resolve(given_documents)
    assert found == [model.resolve([each])[0] for each in given_documents]
    for words, clusters in zip(given_documents, found, strict=True):
        spans = list(chain.from_iterable(clusters))
        assert len(spans) == len(set(spans))
        assert all(0 <= begin < end <= len(words) for begin, end in spans)
        assert singletons or all(len(cluster) > 1 for cluster in clusters)
        ends = list(chain.from_iterable([i] * len(s) for i, s in enumerate(split_sentences(words))))
        assert all(ends[begin] == ends[end - 1] for begin, end in spans)


def test_it_can_be_asked_in_both_ways() -> None:
    model = resolver()
    assert isinstance(model, Coreference)
    assert isinstance(model, AntecedentChooser)
    assert model.resolve([]) == []
    assert model.resolve([[]]) == [[]]


WORDS_OF_ONE = ["the", "doctor", "met", "the", "nurse", "and", "she", "left", "."]


def with_kept(
    network: Any, table: Any, laid: Any, asked: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """These spans among those that the network keeps of the only document."""
    with torch.inference_mode():
        kept = network(table, laid).spans
    own = zip(kept.begin[0].tolist(), kept.end[0].tolist(), kept.is_span[0].tolist(), strict=True)
    return sorted(asked | {(begin, end) for begin, end, is_span in own if is_span})


def test_a_choice_has_the_higher_score_of_both_candidates() -> None:
    from unslant.models.coreference.decoding import on_given
    from unslant.models.coreference.layout import DocumentWords, layout

    chosen = []
    for seed in range(8):
        words = DocumentWords()
        laid = layout([words.read([WORDS_OF_ONE])])
        table = torch.from_numpy(words.table(made_vectors()))
        network = random_network(seed, kept=0.6)
        spans = with_kept(network, table, laid, {(0, 2), (3, 5), (6, 7)})
        with torch.inference_mode():
            found = on_given(network, table, laid, [spans], prune=False)
        those = [spans.index((0, 2)), spans.index((3, 5))]
        scores = found.ranked.scores[0, spans.index((6, 7)), those].tolist()
        model = resolver(seed)
        (answer,) = model.choose([WORDS_OF_ONE], [(6, 7)], [[(0, 2), (3, 5)]])  # type: ignore[attr-defined]
        (turned,) = model.choose([WORDS_OF_ONE], [(6, 7)], [[(3, 5), (0, 2)]])  # type: ignore[attr-defined]
        assert answer == int(scores[1] > scores[0]) == 1 - turned
        chosen.append(answer)
    assert set(chosen) == {0, 1}


def test_choices_of_many_documents_are_those_of_one_at_a_time() -> None:
    model = resolver()
    texts = [WORDS_OF_ONE, ["a", *WORDS_OF_ONE], WORDS_OF_ONE[:-1], ["he", "saw", "bob"]]
    mentions = [(6, 7), (7, 8), (6, 7), (0, 1)]  # the last one before its only candidate
    candidates = [[(0, 2), (3, 5)], [(4, 6), (1, 3)], [(1, 2), (3, 5), (0, 1)], [(2, 3)]]
    together = model.choose(texts, mentions, candidates)  # type: ignore[attr-defined]
    alone = [
        model.choose([text], [mention], [own])[0]  # type: ignore[attr-defined]
        for text, mention, own in zip(texts, mentions, candidates, strict=True)
    ]
    assert together == alone


def test_a_candidate_after_the_mention_is_the_one_that_looks_back() -> None:
    from unslant.models.coreference.decoding import on_given
    from unslant.models.coreference.layout import DocumentWords, layout

    words, chosen = DocumentWords(), []
    text = ["the", "doctor", "met", "him", "and", "the", "nurse"]
    laid = layout([words.read([text])])
    table = torch.from_numpy(words.table(made_vectors()))
    for seed in range(8):
        network = random_network(seed, kept=0.6)
        spans = with_kept(network, table, laid, {(0, 2), (3, 4), (5, 7)})
        with torch.inference_mode():
            found = on_given(network, table, laid, [spans], prune=False)
        scores = found.ranked.scores[0]
        first, him, last = (spans.index(span) for span in ((0, 2), (3, 4), (5, 7)))
        (answer,) = resolver(seed).choose([text], [(3, 4)], [[(0, 2), (5, 7)]])  # type: ignore[attr-defined]
        assert answer == int(scores[last, him] > scores[him, first])
        chosen.append(answer)
    assert set(chosen) == {0, 1}


@pytest.mark.parametrize(
    ("mention", "candidates", "said"),
    [
        ((6, 7), [], "at least one candidate"),
        ((6, 99), [(0, 1)], "no span"),
        ((6, 7), [(2, 2)], "no span"),
        ((6, 7), [(0, 1), (6, 7)], "own antecedent"),
    ],
)
def test_impossible_choices_are_refused(
    mention: tuple[int, int], candidates: list[tuple[int, int]], said: str
) -> None:
    with pytest.raises(UnslantError, match=said):
        resolver().choose([WORDS_OF_ONE], [mention], [candidates])  # type: ignore[attr-defined]


def test_a_document_of_many_sentences_does_not_depend_on_the_pad_of_others() -> None:
    model = resolver()
    long = [*WORDS_OF_ONE, *WORDS_OF_ONE] * 5
    alone = model.resolve([WORDS_OF_ONE])[0]
    assert model.resolve([long, WORDS_OF_ONE, long])[1] == alone
    assert SHAPE.widest >= max(end - begin for cluster in alone for begin, end in cluster)
