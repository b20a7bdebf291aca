"""Read a plan: one TOML file that names every cell of a study, checked before anything runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from unslant.concepts import concept
from unslant.concepts.read import own_definition
from unslant.core.toml_lines import Place
from unslant.core.toml_source import TomlSource, read_toml
from unslant.studies.plan.cells import Plan, PlanError, TreeChoice, TreeSetting
from unslant.studies.plan.expand import cells_of
from unslant.studies.plan.expressions import method_text
from unslant.studies.plan.measures import read_measures
from unslant.studies.plan.resources import check_label, read_resources

# Trees of interventions: levels of places × methods × dimensions × weights, as labelled methods.
#
# A tree is written from the output of a model backwards, a table for each level::
#
#     [[tree.thesis]]
#     level = "layer 12"
#     at = "layer:-1[cls]"
#     method = "misp(subspace=pair-pca(definitional, k={k}, unit_length=false), exponent={n})"
#     k = [1, 2]
#     n = [0, 1]
#
# Where a level acts, all levels before it in the file act too. A level with c choices has as many
# settings as the levels up to it multiply to: 2, 2·4, 2·4·4 and so on.

MOST_SETTINGS = 20_000
_TREE_KEYS = ("level", "at", "method")


@dataclass(frozen=True)
class _Level:
    name: str
    at: tuple[str, ...]
    methods: tuple[str, ...]
    variables: Mapping[str, tuple[Any, ...]]

    @property
    def count(self) -> int:
        return len(self.methods) * prod(map(len, self.variables.values()))

    def choices(self) -> Iterator[tuple[TreeChoice, str]]:
        """Every choice of this level with its chain of methods at places."""
        names = _short(self.methods)
        for method, *values in product(range(len(self.methods)), *self.variables.values()):
            assignment = dict(zip(self.variables, values, strict=True))
            steps = [_filled(f"{self.methods[method]}@{place}", assignment) for place in self.at]
            chosen = {"method": names[method]} if len(names) > 1 else {}
            varied = {key: str(value) for key, value in assignment.items() if self._varies(key)}
            yield TreeChoice(level=self.name, values={**chosen, **varied}), " | ".join(steps)

    def _varies(self, key: str) -> bool:
        return len(self.variables[key]) > 1


def read_trees(source: TomlSource) -> dict[str, tuple[TreeSetting, ...]]:
    """The settings of each tree of a plan, those of the first level first."""
    trees = {}
    for name in source.get(("tree",), dict, {}):
        place = ("tree", name)
        check_label(source, place, name)
        if not isinstance(source.value(place), list):
            raise source.error(place, f'"{name}" must be in double brackets: [[tree.{name}]].')
        levels = [_level(source, (*place, n)) for n in range(len(source.get(place, list)))]
        names = [level.name for level in levels]
        if len(set(names)) < len(names):
            raise source.error(place, f'two levels of "{name}" have the same name.')
        total = sum(prod(level.count for level in levels[:n]) for n in range(1, len(levels) + 1))
        if total > MOST_SETTINGS:
            raise source.error(
                place, f"a tree has at most {MOST_SETTINGS:,} settings, and this has {total:,}."
            )
        trees[name] = tuple(_settings(source, place, name, levels))
    return trees


def _settings(
    source: TomlSource, place: Place, tree: str, levels: Sequence[_Level]
) -> Iterator[TreeSetting]:
    for depth in range(1, len(levels) + 1):
        inner = [list(level.choices()) for level in reversed(levels[:depth])]
        for parts in product(*inner):
            choices = tuple(choice for choice, _ in parts)
            text = " | ".join(chain for _, chain in parts)
            yield TreeSetting(
                tree=tree,
                level=choices[0].level,
                choices=choices,
                method=method_text(source, (*place, depth - 1, "method"), text),
            )


def _level(source: TomlSource, place: Place) -> _Level:
    table = source.get(place, dict)
    name = source.get((*place, "level"), str)
    check_label(source, (*place, "level"), name)
    variables = {}
    for key in table:
        if key in _TREE_KEYS:
            continue
        values = source.get((*place, key), list)
        kinds = str | int | float
        if not values or any(isinstance(v, bool) or not isinstance(v, kinds) for v in values):
            raise source.error(
                (*place, key),
                f'"{key}" must be an array of numbers or texts, as in [1, 2].',
            )
        if len(set(values)) < len(values):
            raise source.error((*place, key), f'"{key}" has a value twice.')
        variables[key] = tuple(values)
    level = _Level(
        name, _one_or_more(source, place, "at"), _one_or_more(source, place, "method"), variables
    )
    texts = " ".join((*level.at, *level.methods))
    for key in variables:
        if f"{{{key}}}" not in texts:
            raise source.error(
                (*place, key), f"neither the method nor the place has {{{key}}}; leave it out."
            )
    return level


def _one_or_more(source: TomlSource, place: Place, key: str) -> tuple[str, ...]:
    here = (*place, key)
    if isinstance(source.value(here), list):
        return tuple(source.texts(here))
    return (source.get(here, str),)


def _filled(text: str, values: Mapping[str, Any]) -> str:
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", str(value))
    return text


def _short(methods: Sequence[str]) -> list[str]:
    """Names of alternative methods: that of the method alone where they differ in it."""
    names = [method.split("(")[0].strip() for method in methods]
    return names if len(set(names)) == len(names) else list(methods)


_KEYS = (
    "name",
    "about",
    "concepts",
    "resources",
    "methods",
    "tree",
    "measures",
    "matrix",
    "cell",
)
_AS_THEY_ARE = {"original": ""}


def read_plan(path: str | Path, *, folder: Path | None = None) -> Plan:
    """Parse a plan; errors name the line.

    The paths in it are relative to the ``folder``, the file's own if none is given.
    """
    path = Path(path)
    return plan_from(read_toml(path, "The plan", PlanError, folder), path.stem)


def plan_from(source: TomlSource, name: str) -> Plan:
    """The plan in a text; ``name`` is what it is called if it does not say so."""
    source.only((), _KEYS)
    name = source.get(("name",), str, name)
    about = " ".join(source.get(("about",), str, "").split())
    trees = read_trees(source)
    methods = _with_trees(source, _methods(source), trees)
    parts = read_resources(source), methods, read_measures(source)
    labels = {name: [setting.label for setting in some] for name, some in trees.items()}
    cells = cells_of(source, *parts, trees=labels)
    concepts = [concept(called) for called in dict.fromkeys(cell.concept for cell in cells)]
    own = {item.content_hash: own_definition(item) for item in concepts}
    return Plan(
        name=name,
        about=about,
        cells=cells,
        text=source.text,
        folder=source.folder,
        definitions={key: plain for key, plain in own.items() if plain is not None},
        trees=trees,
    )


def _methods(source: TomlSource) -> dict[str, str]:
    """The methods by label; a plan without any measures the vectors as they are."""
    methods = {}
    for label in source.get(("methods",), dict, _AS_THEY_ARE):
        place = ("methods", label)
        check_label(source, place, label)
        methods[label] = method_text(source, place, source.get(place, str, ""))
    return methods


def _with_trees(
    source: TomlSource, methods: dict[str, str], trees: Mapping[str, tuple[TreeSetting, ...]]
) -> dict[str, str]:
    """The methods, and after them every setting of every tree by its label."""
    combined = dict(methods)
    for name, settings in trees.items():
        for label, method in ((each.label, each.method) for each in settings):
            if label in combined or label in trees:
                raise source.error(
                    ("tree", name), f'"{label}" is the label of something else too; rename a level.'
                )
            combined[label] = method
        if name in combined:
            raise source.error(("tree", name), f'"{name}" is also the label of a method.')
    return combined
