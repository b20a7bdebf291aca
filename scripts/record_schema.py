"""Write the JSON Schema of records to docs/schema/, from the type hints that reading goes by."""

import json
from dataclasses import is_dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from unslant.core.plain import hints, is_required, is_union, written
from unslant.core.record import FORMAT, Record

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema_of(kind: Any, title: str) -> dict[str, Any]:
    """The schema of everything that the dataclass may be written as."""
    definitions: dict[str, Any] = {}
    top = _schema(kind, definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **top,
        "$defs": dict(sorted(definitions.items())),
    }


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint is Any:
        return {}
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if is_dataclass(hint):
        return _reference(hint, definitions)
    inner = get_args(hint)
    if is_union(hint):
        return {"anyOf": [_schema(option, definitions) for option in inner]}
    if get_origin(hint) is Literal:
        return {"enum": list(inner)}
    if get_origin(hint) is tuple:
        if inner[-1] is Ellipsis:
            return {"type": "array", "items": _schema(inner[0], definitions)}
        each = [_schema(part, definitions) for part in inner]
        return {"type": "array", "prefixItems": each, "minItems": len(each), "items": False}
    return {"type": "object", "additionalProperties": _schema(inner[1], definitions)}


def _reference(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # in place before its fields, which may lead back to it
        definitions[name] = {
            "description": (kind.__doc__ or "").strip().split("\n")[0],
            "type": "object",
            "properties": {
                item.name: _schema(hints(kind)[item.name], definitions) for item in written(kind)
            },
            "required": [item.name for item in written(kind) if is_required(item)],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}


def main() -> None:
    folder = Path(__file__).parents[1] / "docs" / "schema"
    folder.mkdir(exist_ok=True)
    path = folder / f"record-{FORMAT.rpartition(' ')[2]}.schema.json"
    path.write_text(json.dumps(schema_of(Record, FORMAT), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
