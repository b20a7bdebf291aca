"""One page for each measure, probe, method and estimator, from what they declare."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from unslant.cli.examples import commands, python
from unslant.core.docstrings import paragraphs_of
from unslant.core.parameters import Parameter, parameters_of
from unslant.core.references import reference
from unslant.core.registry import Entry
from unslant.measures.registry import SPACE, Declared, metrics, probes
from unslant.methods.method import DEBIASERS, GUARANTEES, MethodFacts
from unslant.models.debias_training.registry import TUNINGS, TuningFacts
from unslant.subspaces.estimator import ESTIMATORS

_FOLDERS = {
    "measures": (
        "Measures",
        "A measure gives one number for a set of vectors, or for a place in a language model. Some "
        "are about bias, some about quality, which debiasing should keep.",
    ),
    "probes": (
        "Probes",
        "A probe puts questions to a model, or to a model that reads vectors: does bias change "
        "what it concludes? Each gives several scores.",
    ),
    "methods": (
        "Methods",
        "A method removes or weakens a concept in vectors, at a place in a language model, or by "
        "training its weights. Methods can be chained: `hard | misp`. "
        "What each does to real vectors, by all measures: "
        "[all methods, all measures](../methods-table.md). Which to take: "
        "[choose a method](../choose-a-method.md).",
    ),
    "subspaces": (
        "Subspaces",
        "An estimator finds the direction, or the few directions, of a concept. Measures and "
        "methods take one as their parameter `subspace`.",
    ),
}
_TAKES = {
    "test": "one association test of a concept (`--test`)",
    "concept": "the word lists of a concept (`--concept`)",
    "vectors": "the vectors alone",
    "set": "the questions of its own set",
}


def component_pages() -> dict[str, str]:
    """The pages of all components and an index of each kind, by their paths."""
    methods: list[Entry[Any]] = [*DEBIASERS, *TUNINGS]
    kinds: dict[str, list[Entry[Any]]] = {
        "measures": [*metrics()],
        "probes": [*probes()],
        "methods": sorted(methods, key=lambda entry: entry.name),
        "subspaces": [*ESTIMATORS],
    }
    pages = {}
    for folder, entries in kinds.items():
        pages[f"{folder}/index.md"] = _index(folder, entries)
        pages |= {f"{folder}/{entry.name}.md": page_of(entry) for entry in entries}
    return pages


def page_of(entry: Entry[Any]) -> str:
    """All about one component, as Markdown."""
    summary, *paragraphs = paragraphs_of(entry.component)
    parts = [f"# {entry.name}", f"**{summary}**"]
    parts += ["## Formula", f"```text\n{entry.formula}\n```", *paragraphs]
    parts += ["## How to read it", *_reading(entry)]
    parts += ["## Example", _fenced("sh", "\n".join(commands(entry)))]
    parts += [_fenced("python", python(entry)), *_needed(entry)]
    parameters = parameters_of(entry.component)
    parts += ["## Parameters", *(_table(parameters) if parameters else ["It has none."])]
    parts += ["## Source", *dict.fromkeys(_sources(entry))]
    return "\n\n".join(parts) + "\n"


def _index(folder: str, entries: Iterable[Entry[Any]]) -> str:
    title, about = _FOLDERS[folder]
    rows = [
        f"| [{entry.name}]({entry.name}.md) | {_cell(entry.summary.replace('``', '`'))} |"
        for entry in entries
    ]
    head = f"| {title.lower().removesuffix('s')} | what it is |\n|---|---|"
    return f"# {title}\n\n{about}\n\n{head}\n" + "\n".join(rows) + "\n"


def _reading(entry: Entry[Any]) -> Iterator[str]:
    facts = entry.facts
    if isinstance(facts, Declared):
        yield from _scores(entry, facts)
    elif isinstance(facts, MethodFacts):
        yield from _method(entry.name, facts)
    elif isinstance(facts, TuningFacts):
        yield (
            f"It trains the weights of a language model, and needs {facts.needs}. It guarantees "
            "nothing: what it changed has to be measured."
        )
    if not isinstance(facts, Declared):
        yield _warning(facts.misleads)


def _scores(entry: Entry[Any], facts: Declared) -> Iterator[str]:
    takes = f"It takes {_TAKES[facts.takes]}"
    if facts.is_probe:
        yield f"{takes}, and a model with the method that `{_name(facts.needs)}` describes."
    else:
        where = "any vectors" if facts.needs == SPACE else "word vectors with a vocabulary"
        yield f"{takes}, and measures {where}."
    for name, score in facts.scores.items():
        if len(facts.scores) > 1:
            yield f"### {name}"
        if score.says:
            yield score.says
        yield f"Range: {score.range}. Better: {score.better.text}. It is about {score.tells}."
        if score.scale and score.scale.steps:
            steps = zip(("weak", "moderate", "strong"), score.scale.steps, strict=True)
            said = ", ".join(f"{word} from {step:g}" for word, step in steps)
            ideal = f"{score.scale.ideal:g}"
            yield f"In verdicts the distance from {ideal} counts: {said} (`{score.scale.source}`)."
        yield _warning(score.misleads)


def _method(name: str, facts: MethodFacts) -> Iterator[str]:
    acts_on = facts.acts_on
    yield f"It acts on {acts_on.what}."
    if acts_on.only_places:
        yield f"On word vectors it {acts_on.because}."
    elif acts_on.because:
        yield (
            f"It cannot act at a place in a language model: {name} {acts_on.because}. Use "
            f"{acts_on.instead} there."
        )
    claims = [f"- `{claim}`: {GUARANTEES[claim]}." for claim in sorted(facts.guarantees)]
    yield "It guarantees, and tests check:" if claims else "It guarantees nothing."
    yield "\n".join(claims)


def _warning(text: str) -> str:
    return f'!!! warning "When it misleads"\n\n    {text}'


def _needed(entry: Entry[Any]) -> Iterator[str]:
    if entry.example.of:
        name = entry.example.of.partition("@")[0]
        yield f"`{name}` is the folder of a model of yours, or its name in the Hugging Face cache."
    if entry.example.quick:
        yield "The parameters make this example quick. Leave them out for a result that counts."
    if entry.example.data:
        yield "The first command downloads public data, checked by its hash."


def _table(parameters: Sequence[Parameter]) -> Iterator[str]:
    is_told = any(item.help for item in parameters)
    rows = [
        f"| `{item.name}` | {_default(item)} | {_cell(str(item))} |"
        + (f" {_cell(item.help)} |" if is_told else "")
        for item in parameters
    ]
    last = (" what it is |", "---|") if is_told else ("", "")
    yield "\n".join([f"| name | default | takes |{last[0]}", f"|---|---|---|{last[1]}", *rows])
    if not is_told:
        yield "What they do is said under the formula."


def _default(item: Parameter) -> str:
    if item.is_required:
        return "must be given"
    if isinstance(item.default, bool):
        return f"`{str(item.default).lower()}`"
    return "none" if item.default == "" else f"`{_cell(str(item.default))}`"


def _sources(entry: Entry[Any]) -> Iterator[str]:
    yield reference(entry.cites)
    if isinstance(entry.facts, Declared):
        yield from (reference(score.cites) for score in entry.facts.scores.values() if score.cites)


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _name(need: Any) -> str:
    return str(need.__name__)
