"""What is worth seeing beside accuracies: a table of parts, outcomes, and single sentences."""

from collections.abc import Mapping, Sequence

from unslant.core.exhibits import Case, Column, Examples, Share, Shares, Table, Value
from unslant.probes.coreference.comparison import Comparison


def table_of(
    found: Comparison, first: str, second: str, parts: Mapping[str, str], *, published: str = ""
) -> Table:
    """A row for each part: its items, the accuracy of each condition, and the difference."""
    rows: list[tuple[Value, ...]] = []
    for part, label in parts.items():
        shares = [100 * found.share(condition, part) for condition in found.right]
        gap = 100 * (found.share(first, part) - found.share(second, part))
        rows.append((label, int(found.parts[part].sum()), *shares, gap))
    return Table(
        id="accuracy",
        title="Accuracy in percent",
        columns=(
            Column(label="sentences"),
            Column(label="number", digits=0),
            *(Column(label=condition, digits=1) for condition in found.right),
            Column(label=f"{first} − {second}", digits=1),
        ),
        rows=tuple(rows),
        caption=published,
    )


def outcome_shares(rows: Mapping[str, Sequence[str]], labels: tuple[str, ...]) -> Shares:
    """For each condition, what its pronouns were resolved to."""
    return Shares(
        id="outcomes",
        title="What the pronoun was resolved to",
        labels=labels,
        rows=tuple(
            Share(
                label=condition,
                shares=tuple(list(given).count(label) / len(given) for label in labels),
            )
            for condition, given in rows.items()
        ),
        caption="Shares of all sentences.",
    )


def examples(
    cases: Sequence[tuple[str, ...]], texts: tuple[str, ...], count: int
) -> list[Examples]:
    """The first of the pairs that are right in one version only."""
    if not cases:
        return []
    return [
        Examples(
            id="examples",
            title="Sentences in which the stereotype decides",
            texts=texts,
            numbers=(),
            cases=tuple(Case(texts=one, numbers=()) for one in cases[:count]),
            caption=f"{min(count, len(cases))} of {len(cases):,}, in the order of the data.",
        )
    ]
