"""Write the manifest of components: python -m scripts.manifest

A class is a component if one of its decorators names a citation, as in ``@metric("weat",
cites=…)``. Only the modules with such classes are imported, so extras need not be installed.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import unslant
from unslant.core.manifest import PATH
from unslant.core.registry import Registry
from unslant.measures.registry import MEASURES
from unslant.methods.method import DEBIASERS
from unslant.models.debias_training.registry import TUNINGS
from unslant.subspaces.estimator import ESTIMATORS

SOURCE = Path(unslant.__file__).parent
REGISTRIES: tuple[Registry[Any], ...] = (MEASURES, DEBIASERS, TUNINGS, ESTIMATORS)


def manifest_text() -> str:
    """The manifest as it should be: one line for each component."""
    for module in component_modules():
        import_module(module)
    sections = {registry.group: _rows(registry) for registry in REGISTRIES}
    blocks = (f"{_json(name)}: {{\n{_lines(rows)}\n}}" for name, rows in sections.items())
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def component_modules() -> Iterator[str]:
    """The modules that define components, by reading their source alone."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "cites=" in text and any(map(_is_component, ast.walk(ast.parse(text)))):
            yield ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)


def _is_component(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        isinstance(decorator, ast.Call) and any(key.arg == "cites" for key in decorator.keywords)
        for decorator in node.decorator_list
    )


def _rows(registry: Registry[Any]) -> dict[str, Any]:
    entries = (registry.fresh_entry(name) for name in sorted(registry.declared))
    return {
        entry.name: {
            "home": entry.home,
            "summary": entry.summary,
            "cites": entry.cites,
            "parameters": entry.parameters,
            "traits": entry.traits,
        }
        for entry in entries
        if entry.is_ours
    }


def _lines(rows: Mapping[str, Any]) -> str:
    return ",\n".join(f" {_json(name)}: {_json(row)}" for name, row in rows.items())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    (SOURCE / "core" / PATH).write_text(manifest_text(), encoding="utf-8")
