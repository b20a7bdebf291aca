"""How much likelier a target becomes by an attribute: log p(target | attribute) − log p(target).

In a masked model the target is scored in the sentence with the attribute, and in the same sentence
with a gap in the attribute's place, which takes away how frequent the target is. A decoder cannot
look ahead, so the attribute is scored after the target: log p(attribute | target). The two differ
by log p(attribute), which is the same for all targets, so that differences and variances over
targets are those of the same quantity (Bayes' rule).
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from unslant.core.files import Progress
from unslant.core.types import Array
from unslant.predictors.protocols import MASK, Likelihood, Masking
from unslant.probes.likelihood.asking import asked

Side = Literal["target", "attribute"]


def associations(
    model: Likelihood,
    templates: Sequence[str],
    targets: Sequence[str],
    attributes: Sequence[str],
    *,
    side: Side,
    masking: Masking,
    progress: Progress | None = None,
) -> Array:
    """Targets × attributes × templates."""
    shape = (len(targets), len(attributes), len(templates))
    texts = [
        filled(template, target, attribute, side)
        for target in targets
        for attribute in attributes
        for template in templates
    ]
    if side == "attribute":
        return asked(model, texts, masking, progress).reshape(shape)
    texts += [filled(template, target, MASK, side) for target in targets for template in templates]
    logs = asked(model, texts, masking, progress)
    size = int(np.prod(shape))
    prior = logs[size:].reshape(shape[0], 1, shape[2])
    return np.asarray(logs[:size].reshape(shape) - prior)


def filled(template: str, target: str, attribute: str, side: Side) -> str:
    """The sentence with one of the two marked; its first letter is a capital.

    >>> filled("{target} likes {attribute}.", "he", "[MASK]", "target")
    '[[He]] likes [MASK].'
    """
    target = target[:1].upper() + target[1:] if template.startswith("{target}") else target
    before, after = template.split("{target}")
    parts = [before, f"[[{target}]]" if side == "target" else target, after]
    marked = f"[[{attribute}]]" if side == "attribute" else attribute
    return "".join(part.replace("{attribute}", marked) for part in parts)
