"""The likelihood of antecedents against an enumeration of all choices."""

from itertools import product
from math import exp, log
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the network needs torch")


def ranked(scores: Any, candidates: Any) -> tuple[Any, Any]:
    from unslant.models.coreference.antecedents import Ranked, Spans

    count = scores.shape[1]
    place = torch.arange(count)[None]
    spans = Spans(place, place + 1, torch.ones(1, count, dtype=torch.bool), torch.zeros(1, count))
    return Ranked(candidates, scores), spans


def test_the_loss_is_that_of_all_choices_of_antecedents_that_give_true_ones() -> None:
    from unslant.models.coreference.antecedents import antecedent_loss

    torch.manual_seed(1)
    cluster = [0, 1, 0, -1, 0]
    count = len(cluster)
    scores = torch.randn(1, count, count, dtype=torch.float64)
    scores = scores.masked_fill(torch.ones(count, count).triu().bool(), -torch.inf)
    given = ranked(scores, torch.arange(count).expand(1, count, count))
    found = antecedent_loss(*given, torch.tensor([cluster]))

    def weight(this: int, that: int) -> float:
        return 1.0 if that < 0 else exp(float(scores[0, this, that]))

    def is_true(this: int, that: int) -> bool:
        before = [j for j in range(this) if cluster[this] >= 0 and cluster[j] == cluster[this]]
        return that in before if before else that < 0

    total = right = 0.0
    for choice in product(*(range(-1, this) for this in range(count))):
        likely = 1.0
        for this, that in enumerate(choice):
            likely *= weight(this, that)
        total += likely
        right += likely if all(is_true(*link) for link in enumerate(choice)) else 0.0
    assert float(found) == pytest.approx(-log(right / total), abs=1e-9)


def test_a_true_antecedent_that_was_pruned_makes_none_the_true_answer() -> None:
    from unslant.models.coreference.antecedents import antecedent_loss

    scores = torch.tensor([[[-torch.inf], [0.3], [0.8]]])
    candidates = torch.tensor([[[0], [0], [1]]])  # span 2's true antecedent 0 is not among them
    found = antecedent_loss(*ranked(scores, candidates), torch.tensor([[0, 1, 0]]))
    assert float(found) == pytest.approx(log(1 + exp(0.3)) + log(1 + exp(0.8)), abs=1e-6)


def test_padding_adds_nothing() -> None:
    from unslant.models.coreference.antecedents import antecedent_loss

    scores = torch.tensor([[[-torch.inf], [0.3]]])
    found, spans = ranked(scores, torch.zeros(1, 2, 1, dtype=torch.int64))
    padded = spans._replace(is_span=torch.tensor([[True, False]]))
    assert float(antecedent_loss(found, padded, torch.tensor([[0, 0]]))) == 0.0


def test_mentions_are_judged_by_cross_entropy_where_there_are_spans() -> None:
    from unslant.models.coreference.antecedents import mention_loss

    scores = torch.tensor([[2.0, -1.0], [0.5, -torch.inf]])
    is_mention = torch.tensor([[True, False], [False, False]])
    expected = log(1 + exp(-2.0)) + log(1 + exp(-1.0)) + log(1 + exp(0.5))
    assert float(mention_loss(scores, is_mention)) == pytest.approx(expected, abs=1e-6)
