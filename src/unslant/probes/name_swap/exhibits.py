"""Tables and figures for the gaps: every name, what missed names were tagged as, and sentences."""

from collections.abc import Iterator

import numpy as np

from unslant.concepts.name_table import CROSSED
from unslant.core.exhibits import Case, Column, Examples, Point, Points, Share, Shares, Table, Value
from unslant.probes.name_swap.gaps import Recalls
from unslant.probes.name_swap.tagging import EXACT, NOTHING, PARTLY, NameSwapSet, Tagged

_KINDS_SHOWN = 4
_OTHER = "another kind"


def every_name(found: Recalls) -> Iterator[Points]:
    """The recall of each name less that of all, a panel for each group of all attributes."""
    table = found.table
    recall = found.hits / found.mentions
    centred, drawn = recall - recall.mean(), found.draws - found.draws.mean(axis=1, keepdims=True)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0) if len(drawn) else (centred, centred)
    for group, names in table.groups(CROSSED.join(table.attributes)).items():
        rows = sorted(found.places(names), key=lambda row: -centred[row])
        yield Points(
            id="names",
            title="How much more or less often each name is found",
            part=group,
            x="recall, less the mean of all names",
            ends=("found more often", "found less often"),
            points=tuple(
                Point(
                    label=table.names[row],
                    x=float(centred[row]),
                    low=float(low[row]) if len(drawn) else None,
                    high=float(high[row]) if len(drawn) else None,
                )
                for row in rows
            ),
            caption=f"All names are in the same sentences. The mean recall of all names is "
            f"{recall.mean():.3f}; lines are 95 % percentile intervals over sentences.",
        )


def every_group(swaps: NameSwapSet, exact: Recalls, overlap: Recalls) -> Table:
    """The recall of each group by both ways to count, and how far its names lie apart."""
    rows: list[tuple[Value, ...]] = []
    for by, groups in swaps.groupings.items():
        for group, names in groups.items():
            each = exact.hits[exact.places(names)] / exact.mentions
            rows.append(
                (
                    *(by, group, len(names), exact.recall(names), overlap.recall(names)),
                    *(
                        float(each.min()),
                        exact.table.names[exact.places(names)[int(each.argmin())]],
                    ),
                )
            )
    own = (exact.own / exact.mentions, overlap.own / overlap.mentions)
    rows.append(("", "the corpus' own names", None, *own, None, ""))
    return Table(
        id="groups",
        title="Recall of each group",
        columns=(
            Column(label="by"),
            Column(label="group"),
            Column(label="names", digits=0),
            Column(label="recall, exact", digits=4),
            Column(label="recall, any overlap", digits=4),
            Column(label="lowest recall of a name", digits=4),
            Column(label="which name"),
        ),
        rows=tuple(rows),
        caption="Exact: a person was found at just the words of the name. Any overlap: a person "
        "was found that shares a word with it.",
        first=12,
    )


def became(swaps: NameSwapSet, tagged: Tagged) -> Shares:
    """For each group, what the tagger took the names for."""
    table = swaps.names
    groups = table.groups(CROSSED.join(table.attributes))
    place = {name: number for number, name in enumerate(table.names)}
    totals = np.bincount(tagged.codes.ravel(), minlength=len(tagged.outcomes))
    kinds = sorted(range(3, len(tagged.outcomes)), key=lambda code: -totals[code])
    shown, rest = kinds[:_KINDS_SHOWN], kinds[_KINDS_SHOWN:]
    rows = []
    for group, names in groups.items():
        some = tagged.codes[:, [place[name] for name in names]]
        counts = np.bincount(some.ravel(), minlength=len(tagged.outcomes)) / some.size
        parts = [counts[0], counts[1], *counts[shown]]
        parts += [counts[rest].sum()] if rest else []
        rows.append(Share(label=group, shares=(*map(float, parts), float(counts[2]))))
    labels = [EXACT, PARTLY, *(tagged.outcomes[code] for code in shown)]
    return Shares(
        id="became",
        title="What the tagger took the names for",
        labels=(*labels, *([_OTHER] if rest else []), NOTHING),
        rows=tuple(rows),
        caption="Shares of all mentions with the names of a group; kinds are the tagger's own.",
    )


def examples(swaps: NameSwapSet, tagged: Tagged, found: Recalls, count: int) -> Iterator[Examples]:
    """Sentences where names of one group were found and those of another were missed."""
    is_found = tagged.codes == 0
    groups = swaps.names.groups(CROSSED.join(swaps.names.attributes))
    shares = np.stack([is_found[:, found.places(names)].mean(axis=1) for names in groups.values()])
    apart = shares.max(axis=0) - shares.min(axis=0)
    order = np.argsort(-apart, kind="stable")[: 4 * count]
    wanted = {int(row) for row in order if apart[row] > 0}
    cases: list[tuple[float, Case]] = []
    sentences: set[tuple[str, ...]] = set()
    for row, slot in enumerate(swaps.slots() if wanted else ()):
        if row not in wanted or slot.sentence.words in sentences:
            continue
        sentences.add(slot.sentence.words)
        best, worst = (
            found.places(tuple(groups.values())[int(pick(shares[:, row]))])
            for pick in (np.argmax, np.argmin)
        )
        hit = next(name for name in best if is_found[row, name])
        lost = next(name for name in worst if not is_found[row, name])
        texts = (
            *(slot.filled(swaps.names.names[name]).text for name in (hit, lost)),
            f"{swaps.names.names[lost]}: {tagged.outcomes[tagged.codes[row, lost]]}",
        )
        numbers = (float(shares[:, row].max()), float(shares[:, row].min()))
        cases.append((-float(apart[row]), Case(texts=texts, numbers=numbers)))
    if cases:
        yield Examples(
            id="examples",
            title="Sentences in which the name decides",
            texts=("found", "not found", "what it became"),
            numbers=("share of names found, best group", "worst group"),
            cases=tuple(case for _, case in sorted(cases, key=lambda case: case[0])[:count]),
            caption="One mention was replaced; the rest of the sentence is the corpus' own.",
        )
