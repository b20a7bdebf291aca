"""What is worth seeing beside the scores: telling pairs, and mean answers by group and by word."""

from collections.abc import Iterator, Sequence

from unslant.core.exhibits import Case, Column, Examples, Exhibit, Share, Shares, Table
from unslant.datasets.nli.labels import LABELS
from unslant.probes.nli.answers import Answers
from unslant.probes.nli.extremes import Example, extremes, furthest
from unslant.probes.nli.groups import GroupAnswer, group_answers
from unslant.probes.nli.tables import Average, averages, mean_answer

SIDES = ("premise", "hypothesis")


def exhibits(
    answers: Answers, examples: int, slices: Sequence[tuple[str, str]] = ()
) -> tuple[Exhibit, ...]:
    """Examples, the slices asked for, the words of either side, and shares by group and word."""
    return (
        *_examples(answers, examples),
        *_slices(answers, slices),
        *(_words(answers, side) for side in SIDES),
        *_shares(answers),
    )


def _examples(answers: Answers, count: int) -> Iterator[Examples]:
    """The most extreme pairs by the label, or those furthest from the right answer."""
    if answers.set.family == "retention":
        title = "Furthest from the right answer"
        yield _shown("furthest", title, furthest(answers, count, one_for_each_pair=True))
        return
    for label, word in (("entailment", "entailed"), ("contradiction", "contradicted")):
        found = extremes(answers, label, count, one_for_each_pair=True)
        yield _shown(f"most-{word}", f"Most {word}", found)


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
        caption="One sentence for each pair of words, the furthest from its right answer first.",
    )


def _slices(answers: Answers, wanted: Sequence[tuple[str, str]]) -> Iterator[Table]:
    if wanted:
        found = [mean_answer(answers, premises=[p], hypotheses=[h]) for p, h in wanted]
        yield _table("slices", "Mean answers of the words asked for", "words", found)


def _words(answers: Answers, side: str) -> Table:
    is_neutral = answers.set.family != "retention"
    right = "neutral" if is_neutral else "the right answer"
    found = sorted(averages(answers, side), key=lambda item: item.right)
    title = f"Mean answers by {side} word"
    return _table(
        f"{side}-words",
        title,
        f"{side} word",
        found,
        caption=f"Words with the lowest probability of {right} come first.",
    )


def _table(name: str, title: str, of: str, found: Sequence[Average], caption: str = "") -> Table:
    numbers = (*LABELS, "share neutral", "right answer")
    return Table(
        id=name,
        title=title,
        columns=(
            Column(label=of),
            *(Column(label=label, digits=3) for label in numbers),
            Column(label="pairs", digits=0),
        ),
        rows=tuple(
            (
                " → ".join(item.words),
                item.entailment,
                item.neutral,
                item.contradiction,
                item.fraction_neutral,
                item.right,
                item.pairs,
            )
            for item in found
        ),
        caption=caption,
    )


def _shares(answers: Answers) -> Iterator[Shares]:
    """The mean answer of every two groups, and of each word with every group of the other side."""
    found = group_answers(answers)
    for side, title in (
        ("", "The mean answer for each group"),
        ("premise", "The mean answer for each premise word"),
        ("hypothesis", "The mean answer for each hypothesis word"),
    ):
        rows = [item for item in found if item.side == side]
        yield Shares(
            id=f"answers-by-{side or 'group'}",
            title=title,
            labels=LABELS,
            rows=tuple(_share(item) for item in sorted(rows, key=lambda item: item.answer.right)),
            caption="Words and groups whose right answer is least probable come first.",
        )


def _share(item: GroupAnswer) -> Share:
    mean = item.answer
    sides = [
        item.word if item.side == side else group
        for side, group in zip(SIDES, (item.premises, item.hypotheses), strict=True)
    ]
    own = item.premises if item.side == "premise" else item.hypotheses
    return Share(
        label=" → ".join(side for side in sides if side) or "all words",
        shares=(mean.entailment, mean.neutral, mean.contradiction),
        group=own,
    )
