"""What is worth seeing beside the scores: telling pairs, and mean answers by group and by word."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unslant.core.exhibits import Case, Column, Examples, Exhibit, Share, Shares, Table
from unslant.datasets.nli.labels import LABELS
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.extremes import Example, extremes, furthest
from unslant.probes.nli.groups import GroupAnswer, group_answers
from unslant.probes.nli.tables import Average, averages, mean_answer

SIDES = ("premise", "hypothesis")
_MANY_WORDS = 20
_FIRST_WORDS = 6


def exhibits(
    answers: Answers, examples: int, slices: Sequence[tuple[str, str]] = ()
) -> tuple[Exhibit, ...]:
    """Examples, the slices asked for, the words of either side, and shares by group and word."""
    return (
        *_examples(answers, examples),
        *_slices(answers, slices),
        *_words(answers),
        *_shares(answers),
    )


def _examples(answers: Answers, count: int) -> Iterator[Examples]:
    """The most extreme pairs by the label, or those furthest from the right answer."""
    if answers.set.family == "retention":
        title = "Pairs furthest from the right answer"
        yield _shown("examples-furthest", title, furthest(answers, count, one_for_each_pair=True))
        return
    for label in ("entailment", "contradiction"):
        found = extremes(answers, label, count, one_for_each_pair=True)
        yield _shown(f"examples-{label}", f"Pairs most confidently called {label}", found)


def _shown(name: str, title: str, found: Sequence[Example]) -> Examples:
    return Examples(
        id=name,
        title=title,
        texts=SIDES,
        numbers=LABELS,
        cases=tuple(
            Case(
                texts=(item.premise, item.hypothesis),
                numbers=(item.entailment, item.neutral, item.contradiction),
                right=item.right,
            )
            for item in found
        ),
        caption="Probabilities of the three answers; one example for each pair of words.",
    )


def _slices(answers: Answers, wanted: Sequence[tuple[str, str]]) -> Iterator[Table]:
    if wanted:
        found = [mean_answer(answers, premises=[p], hypotheses=[h]) for p, h in wanted]
        yield _table(
            "slices", "Mean answers for the requested words", "words, premise first", found
        )


def _words(answers: Answers) -> Iterator[Table]:
    found = {side: sorted(averages(answers, side), key=lambda item: item.right) for side in SIDES}
    several = [side for side, items in found.items() if len(items) > 1]
    for side, items in found.items():
        table = _table(f"words-{side}", f"Mean answer for each {side} word", f"{side} word", items)
        yield replace(table, says=_ends(items)) if [side] == several[-1:] else table


def _ends(items: Sequence[Average]) -> str:
    ends = [f"“{item.words[0]}” ({item.right:.2f})" for item in (items[0], items[-1])]
    return f"The right answer is least likely for {ends[0]} and most likely for {ends[1]}."


def _table(name: str, title: str, of: str, found: Sequence[Average]) -> Table:
    return Table(
        id=name,
        title=title,
        columns=(
            Column(label=of),
            *(Column(label=label, digits=3) for label in (*LABELS, "right answer")),
            Column(label="pairs", digits=0),
        ),
        rows=tuple(
            (
                " → ".join(item.words),
                item.entailment,
                item.neutral,
                item.contradiction,
                item.right,
                item.pairs,
            )
            for item in found
        ),
        caption="Mean probabilities over all pairs with the word; the least right answers first.",
        is_detail=len(found) > _MANY_WORDS,
        first=_FIRST_WORDS,
    )


def _shares(answers: Answers) -> Iterator[Shares]:
    """The mean answers by group; by word too, those of the premise if hypotheses have groups."""
    found = group_answers(answers)
    yield _shares_of("answers", "Mean answer for each group", [i for i in found if not i.side])
    is_premise = answers.set.hypothesis_groups and len(set(answers.set.premise_words)) > 1
    side = SIDES[0] if is_premise else SIDES[1]
    items = [item for item in found if item.side == side]
    worst: dict[str, float] = {}
    for item in items:
        worst[item.word] = min(worst.get(item.word, 1.0), item.answer.right)
    if len(worst) > 1:
        items.sort(key=lambda item: worst[item.word])  # the bars of a word stay together
        yield _shares_of("answers-words", "Words furthest from the right answer", items)


def _shares_of(name: str, title: str, items: Sequence[GroupAnswer]) -> Shares:
    return Shares(
        id=name,
        title=title,
        labels=LABELS,
        rows=tuple(
            Share(
                label=_name(item),
                shares=(item.answer.entailment, item.answer.neutral, item.answer.contradiction),
                group=item.hypotheses or item.premises,
            )
            for item in items
        ),
        caption="Mean probabilities of entailment, neutral and contradiction, from the left.",
    )


def _name(item: GroupAnswer) -> str:
    """A group, or a word with the group that it was asked with."""
    if not item.side:
        return " → ".join(filter(None, (item.premises, item.hypotheses))) or "all words"
    if item.side == SIDES[0]:
        own, other, arrow = item.premises, item.hypotheses, f"{item.word} → {item.hypotheses}"
    else:
        own, other, arrow = item.hypotheses, item.premises, f"{item.premises} → {item.word}"
    if other:
        return arrow
    return f"{item.word} ({own})" if own else item.word
