"""The best setting of each level, and the effect of each choice, laid out for reading."""

from collections.abc import Iterator, Sequence

from unslant.core.better import better_side
from unslant.core.study_best import BestByLevel
from unslant.core.wording import number
from unslant.reports.sheets import Item, Sheet


def of_best(record: BestByLevel, digits: int) -> list[Sheet]:
    """One table of the best settings, one of choices."""
    report = [_headed(record.report, record.report_direction)] if record.report else []
    lines = []
    for row in record.rows:
        cells = [row.resource, row.concept, row.level, f"{row.settings:,}", row.method]
        values = [row.value, *([row.reported] if record.report else [])]
        lines.append([*map(Item, cells), *(Item(number(v, digits)) for v in values)])
    head = ["resource", "concept", "level", "settings", "best"]
    found = [
        Sheet(
            title="Best of each level",
            head=[*head, _headed(record.by, record.direction), *report],
            lines=lines,
            names=5,
        )
    ]
    if record.effects:
        found.append(_effects(record, digits))
    return found


def _effects(record: BestByLevel, digits: int) -> Sheet:
    lines = [
        [
            *map(Item, (row.resource, row.concept, row.level)),
            Item(f"{row.variable} at {row.at}: {row.first} → {row.second}"),
            Item(f"{row.pairs:,}"),
            Item(number(row.mean, digits)),
            Item(number(row.sd, digits)),
            Item(f"{row.better:,}"),
        ]
        for row in record.effects
    ]
    head = ["resource", "concept", "level", "choice", "pairs", "mean change", "sd", "better"]
    return Sheet(title=f"What each choice changes in {record.by}", head=head, lines=lines, names=4)


def _headed(label: str, direction: str) -> str:
    better = better_side(direction)
    return f"{label} {better.sign}" if better else label


def best_columns(record: BestByLevel) -> Iterator[Sequence[object]]:
    """The best settings with every digit."""
    yield (
        *("resource", "concept", "level", "settings", "best", record.by, f"{record.by} original"),
        *((record.report, f"{record.report} original") if record.report else ()),
    )
    for row in record.rows:
        reported = (row.reported, row.reported_original) if record.report else ()
        yield (
            *(row.resource, row.concept, row.level, row.settings, row.method),
            *(row.value, row.original),
            *reported,
        )
