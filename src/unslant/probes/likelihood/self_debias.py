"""Self-Debias as a parameter of the likelihood tests."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.predictors.protocols import Likelihood


@cache
def prompts() -> Mapping[str, tuple[str, ...]]:
    """The prompts by the kind of bias."""
    path = files("unslant.probes.likelihood") / "data" / "self-debias.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))["prompts"]
    return {kind: tuple(texts) for kind, texts in table.items()}


def self_debiased(model: Likelihood, kinds: str, decay: float) -> Likelihood:
    """The model itself, or with Self-Debias for kinds of bias, separated by commas."""
    wanted = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    if not wanted:
        return model
    for kind in wanted:
        if kind not in prompts():
            raise UnknownNameError("kind of bias", kind, prompts())
    change = getattr(model, "self_debiased", None)
    if not callable(change):
        raise UnslantError(
            f"{getattr(model, 'name', type(model).__name__)} gives single likelihoods, and "
            f"Self-Debias needs the distribution over the vocabulary. Use the folder of a language "
            f"model, or leave out [[self_debias|--self-debias]]."
        )
    changed: Likelihood = change([text for kind in wanted for text in prompts()[kind]], decay)
    return changed


def identity(model: Any) -> dict[str, str]:
    """What a measurement says about who answered, if that is not the model as it was given."""
    name, sha256 = getattr(model, "name", ""), getattr(model, "sha256", "")
    return {"model": name, "model_sha256": sha256} if name and sha256 else {}
