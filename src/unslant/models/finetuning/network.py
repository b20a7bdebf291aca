"""An encoder with a head for a task that may be new; only for training, never for results."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import nn

from unslant.core.errors import UnslantError
from unslant.models.finetuning.settings import FineTuning
from unslant.models.language.interventions import base_of
from unslant.models.language.weights import Head, NetworkPlan, built, lacks, planned
from unslant.models.training.freezing import free
from unslant.models.training.tuned import Tuned

if TYPE_CHECKING:
    from unslant.models.language.folder import ModelFolder
    from unslant.models.language.model import TransformerModel

_INITIAL = 0.02


def with_head(
    model: "TransformerModel", head: Head, labels: Sequence[str], how: FineTuning
) -> nn.Module:
    """The network with a head for these labels, and what is tuned free.

    A head that the file has for the same labels is kept, so that training goes on from it. Any
    other is drawn, and so is a pooler that the file lacks; all other arrays are the file's own.
    """
    row = model.layout.architecture
    if row.is_decoder:
        raise UnslantError(
            f"{model.name} is a decoder ({model.layout.kind}). Heads for tasks are trained on "
            f"encoders, which read a text from both sides."
        )
    if row.shared and Tuned.of(how.tune).kind == "last":
        raise UnslantError(
            f"{model.name} uses one block several times, so its last blocks cannot be tuned "
            f"alone. Use [[tune='all'|--tune all]]."
        )
    lost = planned(model.folder, model.layout).missing
    if lost:
        raise lacks(model.folder, model.layout, None, lost)
    plan = _plan(model, head, labels)
    net: nn.Module = built(model.folder, plan)
    for missing in plan.missing:
        _draw(net.get_parameter(missing), missing)
    for part in net.modules():
        if isinstance(part, nn.Dropout):
            part.p = how.dropout
    base = base_of(net)
    count = model.layout.groups if row.shared else model.layout.layers
    blocks = [base.get_submodule(row.block.format(n=number)) for number in range(count)]
    free(base, blocks, Tuned.of(how.tune))
    pooler = getattr(base, "pooler", None)
    if pooler is not None and head == "sequence":
        pooler.requires_grad_(True)  # the head reads it
    return net


def labelled(folder: "ModelFolder", labels: Sequence[str]) -> Mapping[str, object]:
    """The configuration of a model whose head has these labels."""
    return {
        **{key: value for key, value in folder.config.items() if key not in ("num_labels",)},
        "id2label": {str(number): label for number, label in enumerate(labels)},
        "label2id": {label: number for number, label in enumerate(labels)},
    }


def _plan(model: "TransformerModel", head: Head, labels: Sequence[str]) -> NetworkPlan:
    folder = replace(model.folder, config=labelled(model.folder, labels))
    plan = planned(folder, model.layout, head)
    named = model.folder.config.get("id2label")
    known = list(named.values()) if isinstance(named, dict) else []
    if known == list(labels):
        return plan
    base = f"{plan.network.base_model_prefix}."
    own = {name: stored for name, stored in plan.names.items() if name.startswith(base)}
    return replace(plan, names=own)


def _draw(value: nn.Parameter, name: str) -> None:
    with torch.no_grad():
        if value.dim() > 1:
            nn.init.normal_(value, std=_INITIAL)
        else:
            is_scale = name.endswith(("LayerNorm.weight", "norm.weight", "layer_norm.weight"))
            nn.init.constant_(value, 1.0 if is_scale else 0.0)
