"""Erasers on tensors of torch, which is not imported: who has a tensor has it already."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from unslant.erasers.steps import Action
from unslant.vectors import Vocabulary


def is_tensor(rows: object) -> bool:
    """Whether this is a tensor of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(rows, torch.Tensor)


def after_all(steps: Sequence[Action], rows: Any, words: Vocabulary | None) -> Any:
    """A tensor of rows (n × d) after all steps, on its device and in its precision.

    Less than single precision is raised to it on the way, also where torch would lower it by
    itself (autocast): what a projection takes out is the small difference of large numbers.
    """
    torch, device = sys.modules["torch"], rows.device.type
    lowers = device != "meta" and torch.is_autocast_enabled(device)
    with torch.autocast(device, enabled=False) if lowers else nullcontext():
        state = rows.float() if rows.dtype.itemsize < 4 else rows
        for step in steps:
            state = step.on_tensor(state, words)
        return state.to(rows.dtype)
