"""Chains of methods: read once, checked before anything is loaded, and named in a lineage."""

from unslant.core.components import component_of, shortest
from unslant.core.errors import UnslantError
from unslant.core.expression import Call, Chain, Step, Value, parse_chain
from unslant.core.files import sha256_of_file
from unslant.core.parameters import parameters_of
from unslant.datasets.registry import datasets
from unslant.methods.method import DEBIASERS, Debiaser

GivenChain = str | Chain
_DIGITS = 12


def chain_of(methods: GivenChain, vectors: str | None = None) -> Chain:
    """The chain that a text writes down, with its names, parameters and places checked.

    ``vectors`` names the word vectors it is for, if any: they have no
    places.

    >>> str(chain_of("misp|linear( )"))
    'misp | linear'
    """
    if not isinstance(methods, str | Chain):
        raise UnslantError(f'Expected a method expression such as "hard | misp", not {methods!r}.')
    chain = parse_chain(methods) if isinstance(methods, str) else methods
    for step in chain:
        method_of(step)
        if step.place is not None and vectors is not None:
            raise UnslantError(
                f"Places belong to language models; {vectors} has none. Write {step.call} instead "
                f"of {step}."
            )
        acts_on = DEBIASERS.entry(step.call.name).facts.acts_on
        if step.place is None and acts_on.only_places:
            raise UnslantError(
                f"{step.call.name} {acts_on.because}. It acts at a place in a language model, as "
                f"in {step.call}@layer:-2.value:7."
            )
        if step.place is not None and acts_on.because and not acts_on.only_places:
            raise UnslantError(
                f"{step.call.name} cannot act at {step.place}: it {acts_on.because}. Use "
                f"{acts_on.instead} there."
            )
    return chain


def method_of(step: Step) -> Debiaser:
    """The method of a step, with its parameters checked."""
    method: Debiaser = component_of(DEBIASERS, step.call)
    return method


def lineage_name(step: Step) -> str:
    """A step's name in a lineage; two steps share a name only if they do the same.

    Parameters that have their default value are left out, and a file is named by its content.
    """
    call = shortest(DEBIASERS, step.call)
    known = parameters_of(DEBIASERS.entry(call.name).component)
    kinds = {parameter.name: parameter.benchmark for parameter in known}
    named = ((key, _by_content(kinds[key], value)) for key, value in call.kwargs)
    return str(Step(Call(call.name, kwargs=tuple(named)), step.place))


def _by_content(kind: str, value: Value) -> Value:
    """A benchmark by its name if it is a known one, which is pinned, and else by its hash."""
    if not kind or f"{kind}/{value}" in datasets():
        return value
    from unslant.datasets.benchmarks import benchmark_file, files_of

    hashes = [sha256_of_file(path)[:_DIGITS] for path in files_of(benchmark_file(kind, str(value)))]
    return f"sha256:{'+'.join(hashes)}"
