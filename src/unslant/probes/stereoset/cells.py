"""Which scores there are: each task and both, each domain and all."""

from collections.abc import Iterator, Sequence

from unslant.datasets.stereoset import DOMAINS, TASKS, Item
from unslant.probes.stereoset.terms import Cell


def cells(items: Sequence[Item], tasks: str, domain: str) -> list[Cell]:
    """The cells that were asked for, the widest first; one without items is undefined later.

    >>> [cell.name for cell in cells((), "inter", "gender")]
    ['-inter-gender']
    """
    return [
        Cell(name=name, title=title, places=_places(items, task, among))
        for name, title, task, among in _named(tasks, domain)
    ]


def _named(tasks: str, domain: str) -> Iterator[tuple[str, str, str, str]]:
    chosen = [task for task in TASKS if tasks in ("both", task)]
    if tasks == "both" and domain == "all":
        yield "", "all items", "both", "all"
    for task in chosen:
        if domain == "all":
            yield f"-{task}", f"{task}-sentence", task, "all"
        for each in DOMAINS:
            if domain in ("all", each):
                yield f"-{task}-{each}", f"{task}-sentence, {each}", task, each


def _places(items: Sequence[Item], task: str, domain: str) -> tuple[int, ...]:
    return tuple(
        place
        for place, item in enumerate(items)
        if task in ("both", item.task) and domain in ("all", item.domain)
    )
