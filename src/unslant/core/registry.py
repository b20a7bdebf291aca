"""Named components: one decorator puts a class in, one lookup takes it out.

Where our own components are is in the manifest, so that a component is imported only when it is
used. Those of other packages are found through entry points: a third party adds a metric without
touching ours.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import import_module
from typing import Any, Generic, TypeVar

from unslant.core.docstrings import formula_of, summary_of
from unslant.core.errors import UnknownNameError
from unslant.core.example import PLAIN, Example
from unslant.core.expression import canonical
from unslant.core.manifest import manifest
from unslant.core.parameters import parameters_of

Component = TypeVar("Component", bound=type[Any])
Facts = TypeVar("Facts")
Traits = Mapping[str, Any]
"""What lists and checks read of a component's facts without importing it; plain JSON."""


@dataclass(frozen=True, kw_only=True)
class Declaration(Generic[Facts]):
    """A component as its decorator declared it."""

    component: type[Any]
    cites: str
    facts: Facts
    example: Example = PLAIN


@dataclass(frozen=True, kw_only=True)
class Entry(Generic[Facts]):
    """A component by name; list texts come from the manifest, all else imports its module."""

    name: str
    home: str
    """Where it is defined, as ``module:Class``."""
    summary: str
    """The first line of its docstring."""
    cites: str
    parameters: Sequence[str]
    """The names of its parameters."""
    traits: Traits
    declared: Callable[[], Declaration[Facts]] = field(repr=False, compare=False)

    @property
    def component(self) -> type[Any]:
        """The class."""
        return self.declared().component

    @property
    def facts(self) -> Facts:
        """What the component declares about itself."""
        return self.declared().facts

    @property
    def example(self) -> Example:
        """How to try it out."""
        return self.declared().example

    @property
    def formula(self) -> str:
        """The lines of the component's docstring that are indented, or nothing."""
        return formula_of(self.component)

    @property
    def is_ours(self) -> bool:
        """Whether it belongs to this package, not to another one."""
        return _is_ours(self.home)


@dataclass(frozen=True)
class Registry(Generic[Facts]):
    """All components of one kind, by public name.

    ``group`` is both the section of the manifest and the entry point group of other packages;
    ``traits`` picks from a component's facts what the manifest holds of them.
    """

    kind: str
    group: str
    traits: Callable[[Facts], Traits] = lambda facts: {}
    declared: dict[str, Declaration[Facts]] = field(default_factory=dict)

    def register(
        self, name: str, *, cites: str, facts: Facts, example: Example = PLAIN
    ) -> Callable[[Component], Component]:
        """Decorate a class to make it known as ``name``, with its citation and other facts.

        It becomes a frozen dataclass, whose fields are the parameters, unless it is one already.
        """

        if name != canonical(name):
            raise ValueError(f'"{name}" must be written in small letters, with hyphens.')

        def remember(component: Component) -> Component:
            is_foreign = not _is_ours(component.__module__)
            if name in self.declared or (is_foreign and name in self._ours):
                raise ValueError(f'Two {self.kind}s are called "{name}".')
            # Not is_dataclass, which is also true of a class that only inherits from one: its own
            # annotations would be no parameters.
            if "__dataclass_fields__" not in vars(component):
                dataclass(frozen=True, kw_only=True)(component)  # changes the class itself
            self.declared[name] = Declaration(
                component=component, cites=cites, facts=facts, example=example
            )
            component.name = name
            return component

        return remember

    def entry(self, name: str) -> Entry[Facts]:
        """The component called ``name``, in any case; other packages are asked last."""
        name = canonical(name)
        if name in self._ours:
            return self._ours[name]
        if name not in self.declared:
            self._import_plugins()
        if name not in self.declared:
            raise UnknownNameError(self.kind, name, {*self._ours, *self.declared})
        return self.fresh_entry(name)

    def __contains__(self, name: str) -> bool:
        if name not in self._ours and name not in self.declared:
            self._import_plugins()
        return name in self._ours or name in self.declared

    def __iter__(self) -> Iterator[Entry[Facts]]:
        self._import_plugins()
        others = {name: self.fresh_entry(name) for name in self.declared if name not in self._ours}
        return iter(sorted([*self._ours.values(), *others.values()], key=lambda entry: entry.name))

    def fresh_entry(self, name: str) -> Entry[Facts]:
        """An entry made from what the decorator declared, not from the manifest."""
        declaration = self.declared[name]
        component = declaration.component
        return Entry(
            name=name,
            home=f"{component.__module__}:{component.__qualname__}",
            summary=summary_of(component),
            cites=declaration.cites,
            parameters=[parameter.name for parameter in parameters_of(component)],
            traits=self.traits(declaration.facts),
            declared=lambda: declaration,
        )

    @cached_property
    def _ours(self) -> Mapping[str, Entry[Facts]]:
        return {
            name: Entry(name=name, declared=partial(self._imported, name, row["home"]), **row)
            for name, row in manifest().get(self.group, {}).items()
        }

    def _imported(self, name: str, home: str) -> Declaration[Facts]:
        if name not in self.declared:
            import_module(home.partition(":")[0])  # runs the decorator
        if name not in self.declared:
            raise RuntimeError(f"{home} registers no {name}. Run python -m scripts.manifest.")
        return self.declared[name]

    def _import_plugins(self) -> None:
        for point in self._plugins:
            if point.name not in self.declared:
                point.load()  # importing the module runs its decorator

    @cached_property
    def _plugins(self) -> tuple[Any, ...]:
        """The entry points of other packages; finding them reads the metadata of every package."""
        from importlib.metadata import entry_points

        return tuple(entry_points(group=self.group))


def _is_ours(module: str) -> bool:
    return module.startswith("unslant.")
