"""The network: pruning, batches and padding change nothing that they should not."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.made_coreference import A_NURSE, SHAPE, TWO_PEOPLE, made_vectors, random_network
from unslant.datasets.coreference.document import CorefDocument
from unslant.models.coreference.layout import DocumentWords, layout

torch = pytest.importorskip("torch", reason="the network needs torch")


def found_in(network: Any, documents: Sequence[CorefDocument]) -> Any:
    words = DocumentWords()
    laid = layout([words.read(each.sentences) for each in documents])
    with torch.inference_mode():
        return network(torch.from_numpy(words.table(made_vectors())), laid)


def links(found: Any, row: int) -> dict[tuple[int, int], float]:
    """The score of each pair of places among the spans of a document."""
    ranked, spans = found.ranked, found.spans
    return {
        (this, int(that)): float(score)
        for this in range(int(spans.is_span[row].sum()))
        for that, score in zip(ranked.candidates[row, this], ranked.scores[row, this], strict=True)
        if score > -torch.inf
    }


def test_with_room_for_all_antecedents_pruning_changes_nothing() -> None:
    everything = found_in(random_network(antecedents=500), [TWO_PEOPLE])
    pruned = found_in(random_network(antecedents=17), [TWO_PEOPLE])
    one_fewer = links(found_in(random_network(antecedents=16), [TWO_PEOPLE]), 0)
    all_links, kept = links(everything, 0), links(pruned, 0)
    assert len(all_links) == 18 * 17 / 2
    assert kept.keys() == all_links.keys()
    assert all(kept[pair] == pytest.approx(all_links[pair], abs=1e-4) for pair in kept)
    assert len(one_fewer) == len(kept) - 1


def test_pruned_candidates_are_the_best_by_coarse_score() -> None:
    network = random_network(antecedents=500)
    everything = links(found_in(network, [TWO_PEOPLE]), 0)
    fine = network.antecedents.score
    with torch.no_grad():
        fine.weight.zero_()
        fine.bias.zero_()
    coarse = links(found_in(network, [TWO_PEOPLE]), 0)
    kept = links(found_in(random_network(antecedents=3), [TWO_PEOPLE]), 0)
    for this in range(18):
        best = sorted((that for that in range(this)), key=lambda that: -coarse[this, that])[:3]
        assert {that for one, that in kept if one == this} == set(best)
    assert all(kept[pair] == pytest.approx(everything[pair], abs=1e-4) for pair in kept)


def test_documents_read_together_have_the_scores_of_documents_read_alone() -> None:
    network = random_network(kept=0.9)
    together = found_in(network, [A_NURSE, TWO_PEOPLE, A_NURSE])
    for row, document in enumerate((A_NURSE, TWO_PEOPLE, A_NURSE)):
        alone = found_in(network, [document])
        one, many = links(alone, 0), links(together, row)
        assert one.keys() == many.keys()
        assert all(one[pair] == pytest.approx(many[pair], abs=1e-4) for pair in one)


def test_kept_spans_are_the_best_in_the_order_of_the_text() -> None:
    found = found_in(random_network(kept=0.6), [TWO_PEOPLE])
    scores, spans = found.mentions, found.spans
    own = list(zip(spans.begin[0].tolist(), spans.end[0].tolist(), strict=True))
    flat = {
        (begin, begin + width + 1): float(scores[begin, width])
        for begin in range(len(scores))
        for width in range(SHAPE.widest)
    }
    best = sorted(flat, key=lambda span: -flat[span])[:11]  # 0.6 of 18 words, rounded up
    assert own == sorted(best)


def test_spans_of_the_same_words_match_whatever_their_case() -> None:
    from unslant.models.coreference.antecedents import Spans
    from unslant.models.coreference.network import cues

    words = DocumentWords()
    laid = layout([words.read([("The", "doctor", "saw", "the", "doctor", "and", "a", "doctor")])])
    begin, end = torch.tensor([[0, 3, 6]]), torch.tensor([[2, 5, 8]])
    found = cues(laid, Spans(begin, end, torch.ones(1, 3, dtype=torch.bool), torch.zeros(1, 3)))
    first, second, third = found.text[0].tolist()
    assert first == second != third
    assert len(set(found.last_word[0].tolist())) == 1


def test_all_weights_have_the_names_and_sizes_that_files_are_checked_by() -> None:
    for context in (0, 9):
        network = random_network(context=context)
        shapes = {name: tuple(value.shape) for name, value in network.named_parameters()}
        assert shapes == network.shape.tensors()
