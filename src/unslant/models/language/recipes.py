"""Interventions of the literature by name, each a chain of methods at places of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ExpressionError, UnslantError
from unslant.core.expression import Chain, Step, parse_chain
from unslant.core.places import EACH

if TYPE_CHECKING:
    from unslant.models.language.base import Places
    from unslant.models.language.layout import ModelLayout

PAIRS = "pair-pca(definitional, k={k}, unit_length=false)"
"""Principal axes of the differences of sentence pairs; their shares of variance are the weights."""


@dataclass(frozen=True)
class Recipe:
    """A recipe: its description, its source, and its chain for a model."""

    about: str
    cites: str
    chain: Callable[[Any], str]
    """By the layout of the model."""
    of_elmo: bool = False
    """Whether it is for an ELMo; the others are for transformers."""


def _hard(k: int = 1) -> str:
    return f"linear(subspace={PAIRS.format(k=k)})"


def _each_head() -> str:
    return " | ".join(f"{_hard()}@layer:-2.{part}:*" for part in ("query", "key", "value"))


def _last(layout: ModelLayout) -> str:
    """The last layer where sentences are read, and the pooled output if there is one."""
    tokens = "[last]" if layout.architecture.is_decoder else "[cls]"
    pooled = f" | {_hard()}@pooled" if layout.has_pooler else ""
    return f"{_hard()}@layer:-1{tokens}{pooled}"


RECIPES: Mapping[str, Recipe] = {
    "subword": Recipe(
        "project he − she out of the table of word pieces, before positions are added",
        "dev-2020",
        lambda layout: "linear@wordpieces",
    ),
    "elmo-static": Recipe(
        "project the direction out of what the characters give, before the LSTM layers",
        "dev-2020",
        lambda layout: "linear@chars",
        of_elmo=True,
    ),
    "elmo-all": Recipe(
        "project one direction, found in the mean of the layers, out of every layer as given out",
        "dev-2020",
        lambda layout: "linear@all",
        of_elmo=True,
    ),
    "elmo-layers": Recipe(
        "project out of every layer as given out the direction found in that layer; with the "
        "contexts types(FILE) that of averages over a corpus",
        "dev-2020",
        lambda layout: " | ".join(f"linear@output:{n}" for n in range(layout.layers + 1)),
        of_elmo=True,
    ),
    "sent-debias": Recipe(
        "project the first axis of sentence pairs out of every token of the last layer",
        "liang-2020",
        lambda layout: "linear(subspace=pair-pca(definitional, k=1))@layer:-1",
    ),
    "layerwise": Recipe(
        "project one direction out of every layer, each fitted on what the layers before left",
        "bhardwaj-2020",
        lambda layout: " | ".join(f"{_hard()}@layer:{n}" for n in range(1, layout.layers + 1)),
    ),
    "thesis-sent": Recipe(
        "project one direction out of the pooled output",
        "dawkins-2023",
        lambda layout: f"{_hard()}@pooled",
    ),
    "thesis-12": Recipe(
        "one direction of the sentence token after the last layer, and the pooled output if any",
        "dawkins-2023",
        _last,
    ),
    "thesis-11": Recipe(
        "one direction of every token after the second to last layer, then as thesis-12",
        "dawkins-2023",
        lambda layout: f"{_hard()}@layer:-2 | {_last(layout)}",
    ),
    "thesis-attn": Recipe(
        "as thesis-11, and before it one direction of query, key and value of each head there",
        "dawkins-2023",
        lambda layout: f"{_each_head()} | {_hard()}@layer:-2 | {_last(layout)}",
    ),
}


def fitting(layout: Places, model: str) -> dict[str, Recipe]:
    """The recipes whose every place the model has: no ELMo's for a BERT, no pooler without one."""

    def fits(name: str) -> bool:
        try:
            steps = expanded(parse_chain(name), layout, model)
            return all(layout.site(step.place) for step in steps if step.place is not None)
        except UnslantError:
            return False

    return {name: recipe for name, recipe in RECIPES.items() if fits(name)}


def is_recipe(step: Step) -> bool:
    """Whether a step is the name of a recipe.

    >>> [is_recipe(step) for step in parse_chain("layerwise | leace@layer:-1")]
    [True, False]
    """
    call = step.call
    return step.place is None and call.name in RECIPES and not (call.args or call.kwargs)


def expanded(chain: Chain, layout: Places, model: str) -> Chain:
    """The chain with each recipe replaced by its steps, and each head in the place of ``:*``.

    A step at no place is refused.

    >>> str(expanded(parse_chain("linear@pooled"), None, "bert"))  # type: ignore[arg-type]
    'linear@pooled'
    """
    steps: list[Step] = []
    for step in chain:
        if step.place is not None:
            steps += _heads(step, layout)
        elif is_recipe(step):
            recipe = parse_chain(_chain(step.call.name, layout, model))
            steps += [part for each in recipe for part in _heads(each, layout)]
        else:
            raise ExpressionError(
                f"Say where in {model} {step} should act, as in {step}@layer:-1, or name a "
                f"recipe: {', '.join(RECIPES)}. The places are listed by: unslant inspect places "
                "MODEL"
            )
    return Chain(tuple(steps))


def _heads(step: Step, layout: Places) -> list[Step]:
    """The step at each head of its place, if it says so."""
    place, transformer = step.place, _transformer(layout)
    if place is None or place.head != EACH or place.component is None or transformer is None:
        return [step]
    count = transformer.heads_of(place.component)
    return [replace(step, place=replace(place, head=head)) for head in range(count)]


def _chain(name: str, layout: Places, model: str) -> str:
    recipe = RECIPES[name]
    if recipe.of_elmo == (_transformer(layout) is not None):
        kind = "an ELMo" if recipe.of_elmo else "a transformer"
        raise ExpressionError(f"The recipe {name} is for {kind}, which {model} is not.")
    return recipe.chain(layout)


def _transformer(layout: Places) -> ModelLayout | None:
    """The layout itself if it is a transformer's, not an ELMo's."""
    from unslant.models.language.layout import ModelLayout

    return layout if isinstance(layout, ModelLayout) else None
