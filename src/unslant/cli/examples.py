"""Examples of a component that can be pasted: as commands, and as Python."""

from collections.abc import Iterator
from typing import Any

from unslant.core.example import Example
from unslant.core.expression import parse_call
from unslant.core.registry import Entry
from unslant.measures.registry import Declared
from unslant.methods.method import MethodFacts
from unslant.models.debias_training.registry import TuningFacts
from unslant.probes.abilities import HasDefault, ReadsVectors


def commands(entry: Entry[Any]) -> list[str]:
    """Example commands for one component; first the one that fetches its data, if needed.

    >>> from unslant.measures.registry import MEASURES
    >>> commands(MEASURES.entry("weat"))
    ['unslant measure weat --concept gender --test career-family']
    """
    example = entry.example
    fetching = [f"unslant files fetch {example.data}"] if example.data else []
    return [*fetching, " ".join(_words(entry, example))]


def python(entry: Entry[Any]) -> str:
    """The same in Python."""
    example = entry.example
    call = example.call or entry.name
    facts = entry.facts
    given = f'us.load("{example.of.partition("@")[0]}")' if example.of else "us.load()"
    place = example.of.partition("@")[2]
    lines = ["import unslant as us", ""]
    if isinstance(facts, Declared) and facts.is_probe:
        reads = issubclass(entry.component, ReadsVectors)
        needs_vectors = reads and not issubclass(entry.component, HasDefault)
        answering = f'"{example.of}"' if example.of else "us.load()" if needs_vectors else ""
        asked = ", ".join(filter(None, (_text(call), answering)))
        lines += [f"found = us.probe({asked})"]
        lines += [
            "for result in found.record.results:",
            "    print(result.now.metric, result.now.value)",
        ]
    elif isinstance(facts, Declared):
        lines += [f"space = {given}" + (f'.at("{place}")' if place else "")]
        subject = {"test": f'us.concept("{example.concept}").test("{example.test}")'}
        about = subject.get(facts.takes, f'us.concept("{example.concept}")')
        rest = ', us.WordPolicy(missing="drop")' if facts.takes == "concept" else ""
        lines += [f"found = us.measure({_text(call)}, space, {about}{rest})"]
        lines += ["print(found.value, found.interval)"]
    elif isinstance(facts, MethodFacts | TuningFacts):
        kind = "model" if example.of else "vectors"
        lines += [f"{kind} = {given}"]
        lines += [f'fair = us.debias({_text(call)}, {kind}, us.concept("{example.concept}"))']
    else:
        lines += [
            f'direction = us.estimate({_text(call)}, {given}, us.concept("{example.concept}"))'
        ]
        lines += ["print(direction.k, direction.strength)"]
    return "\n".join(lines)


def _words(entry: Entry[Any], example: Example) -> Iterator[str]:
    facts, call = entry.facts, example.call or entry.name
    about = f"--concept {example.concept}"
    if isinstance(facts, Declared) and facts.is_probe:
        yield f"unslant probe {entry.name}"
        yield from filter(None, [example.of])
        for key, value in parse_call(call).kwargs:
            flag = f"--{key.replace('_', '-')}"
            yield flag if value is True else f"{flag} {value}"
    elif isinstance(facts, Declared):
        yield f"unslant measure {_quoted(call)}"
        yield from filter(None, [_quoted(example.of)])
        yield from {"test": [about, f"--test {example.test}"], "vectors": []}.get(
            facts.takes, [about, "--missing drop"]
        )
    elif isinstance(facts, MethodFacts | TuningFacts):
        yield "unslant debias"
        yield from filter(None, [example.of])
        yield f"--with {_quoted(call)} {about}"
        yield f"-o {'fair-model' if example.of else 'fair.safetensors'}"
    else:
        yield f"unslant inspect subspace --direction {_quoted(call)} {about}"


def _quoted(text: str) -> str:
    """Text as one word of a shell."""
    return f'"{text}"' if set(text) & set("()[] ") else text


def _text(call: str) -> str:
    return f'"{call}"'
