"""The tasks of a plan, and the order that they are computed in."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from unslant.core.errors import UnslantError
from unslant.studies.plan.cells import Cell, Plan
from unslant.studies.run.plan_folder import PlannedCell
from unslant.studies.run.task import CACHE_BYTES, Task

Inputs = Callable[[Cell], Mapping[str, Any]]
"""Says everything that the number of a cell depends on."""

Group = tuple[str, ...]


def identified(
    plan: Plan, inputs: Inputs, cache_bytes: int = CACHE_BYTES
) -> tuple[list[PlannedCell], list[Task]]:
    """The cells with their ids, and one task for each id, those that share work side by side.

    Of cells with the same id the one whose label comes first is computed, for any order of
    the plan.
    """
    from unslant.studies.run.identity import cell_id

    entries: list[PlannedCell] = []
    tasks: dict[str, Task] = {}
    for cell in plan.cells:
        try:
            known = dict(inputs(cell))
        except (UnslantError, OSError) as error:
            entries.append(PlannedCell(label=cell.label, problem=str(error)))
            continue
        name = cell_id(known)
        entries.append(PlannedCell(label=cell.label, id=name))
        if name not in tasks or cell.label < tasks[name].cell.label:
            tasks[name] = Task(cell=cell, id=name, inputs=known, cache_bytes=cache_bytes)
    return entries, sorted(tasks.values(), key=_place)


class Waiting:
    """The tasks that have not been begun, given out so that workers do not wait for each other.

    A group of cells shares vectors after one method, or a model trained on them. Whoever computes
    its first cell makes that; the others follow once it is done, and until then there are other
    groups.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._ready: dict[Group, deque[Task]] = {}
        self._new: dict[Group, deque[Task]] = {}
        self._begun: dict[Group, deque[Task]] = {}
        for task in tasks:
            self._new.setdefault(_group(task), deque()).append(task)

    def next(self) -> Task | None:
        """The task to begin now, if there is one left."""
        for groups in (self._ready, self._new, self._begun):
            for group, tasks in groups.items():
                task = tasks.popleft()
                if groups is self._new:
                    self._begun[group] = groups.pop(group)
                if not tasks:
                    (self._begun if groups is self._new else groups).pop(group)
                return task
        return None

    def finished(self, task: Task) -> None:
        """Record that a task is finished, so that its group's shared files exist."""
        if (group := _group(task)) in self._begun:
            self._ready[group] = self._begun.pop(group)


def _place(task: Task) -> tuple[Group, list[str], str]:
    """The sort key of a task: by group, and within it by test set."""
    measure = task.cell.measure
    test_set = [measure.expression, measure.model] if measure.is_probe else []
    return _group(task), test_set, task.id


def _group(task: Task) -> Group:
    """The key of cells that share debiased vectors, or a model trained on them.

    A language model after a method is shared by its cells at every place.
    """
    cell, resource = task.cell, task.cell.resource
    space = (
        resource.path if resource.kind == "model" else resource.label,
        _seeded(cell.method, cell.seed),
        cell.concept,
        cell.missing,
        cell.case,
    )
    data = cell.measure.retrain
    return (*space, data, str(cell.seed)) if data else space


@lru_cache(maxsize=4096)
def _seeded(method: str, seed: int) -> str:
    """The method with the seed, if it draws; cells of one that does not share across seeds."""
    from unslant.studies.run.model_spaces import seeded_methods  # late: it loads every method

    return seeded_methods(method, seed) if method else ""
