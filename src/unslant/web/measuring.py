"""What the page offers to measure: every metric and probe that is installed."""

from typing import Any

from unslant.core.parameters import Parameter, parameters_of
from unslant.measures.registry import MEASURES


def listed_measures() -> list[dict[str, Any]]:
    """Every measure with its parameters, as the page shows them."""
    return [
        {
            "name": entry.name,
            "summary": entry.summary.replace("``", ""),
            "kind": "probe" if entry.facts.is_probe else "metric",
            "takes": entry.facts.takes,
            "parameters": [_listed(item) for item in parameters_of(entry.component)],
        }
        for entry in MEASURES
    ]


def _listed(parameter: Parameter) -> dict[str, str]:
    default = "none" if parameter.is_required else str(parameter.default) or "empty"
    return {"name": parameter.name, "takes": str(parameter), "default": default}
