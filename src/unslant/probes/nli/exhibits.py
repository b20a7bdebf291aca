"""What is worth seeing beside the scores: telling pairs, and mean answers by group and by word."""

from collections.abc import Iterator, Sequence

from unslant.core import nli_exhibits as show
from unslant.core.exhibits import Case, Examples, Exhibit
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.extremes import Example, extremes, furthest
from unslant.probes.nli.tables import averages, group_answers, mean_answer


def exhibits(
    answers: Answers, examples: int, slices: Sequence[tuple[str, str]] = ()
) -> tuple[Exhibit, ...]:
    """Examples, the slices asked for, the words of either side, and shares by group and word."""
    groups = group_answers(answers)
    return (
        *_examples(answers, examples),
        *show.slices([mean_answer(answers, premises=[p], hypotheses=[h]) for p, h in slices]),
        *show.words({side: averages(answers, side) for side in show.SIDES}),
        *show.shares(groups, groups),
    )


def _examples(answers: Answers, count: int) -> Iterator[Examples]:
    """The most extreme pairs by the label, or those furthest from the right answer."""
    if answers.set.family == "retention":
        found = furthest(answers, count, one_for_each_pair=True)
        yield show.examples("furthest", "Pairs furthest from the right answer", _cases(found))
        return
    for label in ("entailment", "contradiction"):
        found = extremes(answers, label, count, one_for_each_pair=True)
        yield show.examples(label, f"Pairs most confidently called {label}", _cases(found))


def _cases(found: Sequence[Example]) -> Iterator[Case]:
    for item in found:
        numbers = (item.entailment, item.neutral, item.contradiction)
        yield Case(texts=(item.premise, item.hypothesis), numbers=numbers, right=item.right)
