"""Read a plan: one TOML file that names every cell of a study, checked before anything runs."""

from collections.abc import Mapping
from pathlib import Path

from unslant.concepts import concept
from unslant.concepts.read import own_definition
from unslant.core.toml_source import TomlSource, read_toml
from unslant.studies.plan.cells import (
    Plan,
    PlanError,
    TreeSetting,
)
from unslant.studies.plan.expand import cells_of
from unslant.studies.plan.expressions import method_text
from unslant.studies.plan.measures import read_measures
from unslant.studies.plan.resources import check_label, read_resources
from unslant.studies.plan.trees import read_trees

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
