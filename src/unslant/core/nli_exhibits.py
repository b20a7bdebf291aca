"""Exhibits of an inference model's answers: example pairs, means by group and by word."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from unslant.core.exhibits import Case, Column, Examples, Share, Shares, Table, When

LABELS = ("entailment", "neutral", "contradiction")

SIDES = ("premise", "hypothesis")
_MANY_WORDS = 20
_FIRST_WORDS = 6


@dataclass(frozen=True, kw_only=True)
class Average:
    """The mean answer over some pairs and the share of them where neutral is most probable.

    ``right`` is the mean probability of the answer that is right for each pair, which is neutral
    but in sets of the family retention.
    """

    words: tuple[str, ...]
    entailment: float
    neutral: float
    contradiction: float
    fraction_neutral: float
    right: float
    pairs: int

    @property
    def answers(self) -> tuple[float, float, float]:
        """The three probabilities in the order of the labels."""
        return self.entailment, self.neutral, self.contradiction


@dataclass(frozen=True, kw_only=True)
class GroupAnswer:
    """A mean answer where the premise is of one group and the hypothesis of another.

    ``word`` is the one word on ``side`` that it is of, if it is of one only. A side without
    groups is taken whole, and its group is the empty text.
    """

    premises: str
    hypotheses: str
    answer: Average
    side: str = ""
    word: str = ""

    @property
    def title(self) -> str:
        """A group, or a word with the group it was tested with."""
        if not self.side:
            return " → ".join(filter(None, (self.premises, self.hypotheses))) or "all words"
        if self.side == SIDES[0]:
            own, other, arrow = self.premises, self.hypotheses, f"{self.word} → {self.hypotheses}"
        else:
            own, other, arrow = self.hypotheses, self.premises, f"{self.premises} → {self.word}"
        if other:
            return arrow
        return f"{self.word} ({own})" if own else self.word


def examples(name: str, title: str, cases: Iterator[Case]) -> Examples:
    """Single pairs of sentences with the answers to them."""
    return Examples(
        id=f"examples-{name}",
        title=title,
        texts=SIDES,
        numbers=LABELS,
        cases=tuple(cases),
        caption="Probabilities of the three answers; one example for each pair of words.",
    )


def slices(found: Sequence[Average]) -> Iterator[Table]:
    """The mean answers for the requested words, if any."""
    if found:
        yield _table(
            "slices", "Mean answers for the requested words", "words, premise first", found
        )


def words(by_side: Mapping[str, Sequence[Average]]) -> Iterator[Table]:
    """The mean answer for every word of either side, the least right first."""
    several = [side for side, items in by_side.items() if len(items) > 1]
    for side, some in by_side.items():
        items, title = (
            sorted(some, key=lambda item: item.right),
            f"Mean answer for each {side} word",
        )
        says = _ends(items) if [side] == several[-1:] else ""
        yield _table(f"words-{side}", title, f"{side} word", items, says)


def _ends(items: Sequence[Average]) -> str:
    ends = [f"“{item.words[0]}” ({item.right:.2f})" for item in (items[0], items[-1])]
    return f"The right answer is least likely for {ends[0]} and most likely for {ends[1]}."


def _table(name: str, title: str, of: str, found: Sequence[Average], says: str = "") -> Table:
    return Table(
        id=name,
        title=title,
        columns=(
            Column(label=of),
            *(Column(label=label, digits=3) for label in (*LABELS, "right answer")),
            Column(label="pairs", digits=0),
        ),
        rows=tuple(
            (" → ".join(item.words), *item.answers, item.right, item.pairs) for item in found
        ),
        caption="Mean probabilities over all pairs with the word; the least right answers first.",
        says=says,
        is_detail=len(found) > _MANY_WORDS,
        first=_FIRST_WORDS,
    )


def shares(
    found: Sequence[GroupAnswer], order: Sequence[GroupAnswer], when: When = "now"
) -> Iterator[Shares]:
    """The mean answers by group; by word too, those of the premise if hypotheses have groups.

    Words are in the order of ``order``, which are these answers or those before debiasing: the
    ones furthest from right come first, and the bars of a word stay together.
    """
    yield _shares(
        "answers", "Mean answer for each group", [item for item in found if not item.side], when
    )
    has_groups = any(item.hypotheses for item in found)
    premises = {item.word for item in found if item.side == SIDES[0]}
    side = SIDES[0] if has_groups and len(premises) > 1 else SIDES[1]
    worst: dict[str, float] = {}
    for item in order:
        if item.side == side:
            worst[item.word] = min(worst.get(item.word, 1.0), item.answer.right)
    items = [item for item in found if item.side == side and item.word in worst]
    if len(worst) > 1:
        items.sort(key=lambda item: worst[item.word])
        yield _shares("answers-words", "Words furthest from the right answer", items, when)


def _shares(name: str, title: str, items: Sequence[GroupAnswer], when: When) -> Shares:
    return Shares(
        id=name,
        title=title,
        labels=LABELS,
        rows=tuple(
            Share(
                label=item.title,
                shares=item.answer.answers,
                group=item.hypotheses or item.premises,
            )
            for item in items
        ),
        caption="Mean probabilities of entailment, neutral and contradiction, from the left.",
        when=when,
    )
