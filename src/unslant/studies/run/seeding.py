"""The seed of a cell, given to every component of it that draws numbers."""

from dataclasses import fields
from typing import Any

from unslant.core.expression import Call, Chain, Step, parse_call, parse_chain
from unslant.core.registry import Registry
from unslant.measures.registry import MEASURES
from unslant.methods.method import DEBIASERS
from unslant.models.debias_training.registry import TUNINGS
from unslant.models.language.recipes import is_recipe
from unslant.studies.tunings import is_tuning


def seeded_measure(expression: str, seed: int) -> str:
    """The measure with this seed, unless it says its own or draws nothing.

    >>> seeded_measure("weat", 3), seeded_measure("weat(seed=1)", 3)
    ('weat(seed=3)', 'weat(seed=1)')
    """
    return str(_seeded(MEASURES, parse_call(expression), seed))


def seeded_methods(expression: str, seed: int) -> str:
    """The chain with this seed in every method that draws and does not say its own.

    Recipes are as they are: none of their methods draws.

    >>> seeded_methods("hard | random", 3)
    'hard | random(seed=3)'
    """
    chain = parse_chain(expression)
    return str(Chain(tuple(_seeded_step(step, seed) for step in chain)))


def _seeded_step(step: Step, seed: int) -> Step:
    if is_recipe(step):
        return step
    registry: Registry[Any] = TUNINGS if is_tuning(step) else DEBIASERS
    return Step(_seeded(registry, step.call, seed), step.place)


def _seeded(registry: Registry[Any], call: Call, seed: int) -> Call:
    names = [field.name for field in fields(registry.entry(call.name).component)]
    named = {*names[: len(call.args)], *(key for key, _ in call.kwargs)}
    if seed == 0 or "seed" not in names or "seed" in named:  # 0 is what all of them begin with
        return call
    return Call(call.name, call.args, (*call.kwargs, ("seed", seed)))
