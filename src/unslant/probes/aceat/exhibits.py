"""What is worth seeing beside the effects: every name, every group, and the sentiment labels."""

from collections.abc import Iterator, Mapping

import numpy as np

from unslant.concepts.name_table import CROSSED, NameTable
from unslant.core.exhibits import Column, Point, Points, Table
from unslant.probes.aceat.groups import Associations
from unslant.probes.aceat.sums import Sums

_ENDS = ("nearer to positive sentences", "nearer to negative sentences")


def every_name(table: NameTable, found: Associations) -> Iterator[Points]:
    """m of each name less the mean of all, a panel for each group of all attributes crossed."""
    centred = found.values - found.values.mean()
    drawn = found.draws - found.draws.mean(axis=1, keepdims=True)
    low, high = np.nanquantile(drawn, [0.025, 0.975], axis=0) if len(drawn) else (centred, centred)
    place = {name: number for number, name in enumerate(found.names)}
    for group, names in table.groups(CROSSED.join(table.attributes)).items():
        rows = sorted((place[name] for name in names), key=lambda row: -centred[row])
        yield Points(
            id="names",
            title="Association of each name with positive rather than negative sentences",
            part=group,
            x="m, less the mean of all names",
            ends=_ENDS,
            points=tuple(
                Point(
                    label=found.names[row],
                    x=float(centred[row]),
                    low=float(low[row]) if len(drawn) else None,
                    high=float(high[row]) if len(drawn) else None,
                )
                for row in rows
            ),
            caption="Each name in the same sentences; the mean of all names is 0, and lines are "
            "95 % percentile intervals over sentences. Without bias the groups lie alike.",
        )


def every_group(
    groupings: Mapping[str, Mapping[str, tuple[str, ...]]], found: Associations, sums: Sums
) -> Table:
    """For each group the mean of m, its spread and the mean cosines behind it."""
    place = {name: number for number, name in enumerate(found.names)}
    means = sums.mean_cosines()
    rows = []
    for by, groups in groupings.items():
        for group, names in groups.items():
            chosen = [place[name] for name in names]
            some = found.values[chosen]
            spread = float(some.std(ddof=1)) if len(some) > 1 else None
            cosines = (float(row[chosen].mean()) for row in means)
            rows.append((by, group, len(names), float(some.mean()), spread, *cosines))
    return Table(
        id="groups",
        title="Groups of names",
        columns=(
            Column(label="by"),
            Column(label="group"),
            Column(label="names", digits=0),
            Column(label="mean m", digits=5),
            Column(label="sd of m", digits=5),
            Column(label="mean cosine, positive sentences", digits=4),
            Column(label="mean cosine, negative sentences", digits=4),
        ),
        rows=tuple(rows),
        caption="m is the weighted mean cosine of a name with the rest of positive sentences, less "
        "that with the rest of negative ones.",
        first=16,
    )


def sentiment_labels(sums: Sums, labels: Mapping[str, int]) -> Table:
    """How many sentences and mentions have each label, and how sure it is."""
    rows = tuple(
        (name, labels[name], count, confidence)
        for name, count, confidence in zip(
            ("positive", "negative"), sums.counts, sums.mean_confidence, strict=True
        )
    )
    return Table(
        id="sentiment",
        title="Sentiment of the sentences",
        columns=(
            Column(label="label"),
            Column(label="sentences", digits=0),
            Column(label="mentions used", digits=0),
            Column(label="mean confidence", digits=3),
        ),
        rows=rows,
        caption="Scored with a mask in place of every person. Neutral sentences are left out.",
    )
