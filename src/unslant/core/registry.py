"""Named components: one decorator puts a class in, one lookup takes it out.

A registry imports the packages that hold our own components when it is first asked, and finds
those of other packages through entry points: a third party adds a metric without touching ours.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, is_dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from unslant.core.docstrings import formula_of, summary_of
from unslant.core.errors import UnknownNameError
from unslant.core.example import PLAIN, Example

Component = TypeVar("Component", bound=type[Any])
Facts = TypeVar("Facts")


@dataclass(frozen=True, kw_only=True)
class Entry(Generic[Facts]):
    """A component, its citation and what it declares about itself."""

    name: str
    component: type[Any]
    cites: str
    facts: Facts
    example: Example = PLAIN

    @property
    def summary(self) -> str:
        """The first line of the component's docstring."""
        return summary_of(self.component)

    @property
    def formula(self) -> str:
        """The lines of the component's docstring that are indented, or nothing."""
        return formula_of(self.component)


@dataclass(frozen=True)
class Registry(Generic[Facts]):
    """All components of one kind, by public name.

    ``packages`` are those of ours that register components when they are imported; ``group`` is
    the entry point group of other packages.
    """

    kind: str
    group: str
    packages: tuple[str, ...] = ()
    entries: dict[str, Entry[Facts]] = field(default_factory=dict)

    def register(
        self, name: str, *, cites: str, facts: Facts, example: Example = PLAIN
    ) -> Callable[[Component], Component]:
        """Decorate a class to make it known as ``name``, with its citation and other facts.

        It becomes a frozen dataclass, whose fields are the parameters, unless it is one already.
        """

        def remember(component: Component) -> Component:
            if name in self.entries:
                raise ValueError(f'Two {self.kind}s are called "{name}".')
            if not is_dataclass(component):
                dataclass(frozen=True, kw_only=True)(component)  # changes the class itself
            self.entries[name] = Entry(
                name=name, component=component, cites=cites, facts=facts, example=example
            )
            component.name = name
            return component

        return remember

    def entry(self, name: str) -> Entry[Facts]:
        """The component called ``name``; other packages are asked only when it is not ours."""
        if name not in self.entries:
            self._load_ours()
        if name not in self.entries:
            self._load_plugins()
        if name not in self.entries:
            raise UnknownNameError(self.kind, name, self.entries)
        return self.entries[name]

    def __iter__(self) -> Iterator[Entry[Facts]]:
        self._load_ours()
        self._load_plugins()
        return iter(sorted(self.entries.values(), key=lambda entry: entry.name))

    def _load_ours(self) -> None:
        for package in self.packages:
            import_module(package)

    def _load_plugins(self) -> None:
        for point in entry_points(group=self.group):
            if point.name not in self.entries:
                point.load()  # importing the module runs its decorator
