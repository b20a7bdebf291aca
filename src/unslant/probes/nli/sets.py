"""The test sets: bundled ones by name, a user's own by path, and any concept's."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from unslant.core.errors import UnknownNameError
from unslant.core.text_files import small_text
from unslant.probes.nli.activities import pairing as rules_of
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.sentences import TemplateError
from unslant.probes.nli.templates import Template, expand, parse_template

_LARGEST_FILE = 8 << 20


def bundled_sets() -> list[str]:
    """The names of the test sets that come with the package."""
    folder = files("unslant.probes.nli") / "data" / "sets"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir())


def pair_set(
    name_or_path: str | Path,
    *,
    determiner: str | None = None,
    pairing: str | None = None,
    unique: bool = False,
    contexts: int | None = None,
    seed: int = 0,
) -> PairSet:
    """The test set of that name, or the one in the template file at that path.

    ``determiner`` is "The" or "A" (then also "An"), in any case of letters; ``pairing`` names
    other bundled activities; ``unique`` counts a word that a list repeats once; ``contexts``
    keeps that many activities, drawn with ``seed``. What is not given is as the set has it.

    >>> set = pair_set("gender-occupation")
    >>> len(set), set.grid.pair(0, 1, 0)[1]
    (1936512, 'The woman bought an apple .')
    """
    template = _template(name_or_path)
    if determiner is not None:
        template = replace(template, determiner=determiner)
    if pairing is not None:
        template = replace(template, rules=rules_of(pairing))
    if unique:
        template = replace(
            template, premise=template.premise.unique(), hypothesis=template.hypothesis.unique()
        )
    options = {
        "determiner": determiner,
        "pairing": pairing,
        "unique": unique,
        "contexts": contexts,
        "seed": seed,
    }
    template = replace(template, made_from={**template.made_from, "options": options})
    return expand(template, contexts=contexts, seed=seed)


def _template(name_or_path: str | Path) -> Template:
    name = str(name_or_path)
    if name in bundled_sets():
        bundled = files("unslant.probes.nli") / "data" / "sets" / f"{name}.toml"
        # The name and the version stand for the text of a bundled set.
        return replace(parse_template(bundled.read_text(encoding="utf-8"), name), made_from={})
    path = Path(name_or_path)
    if path.suffix != ".toml":
        raise UnknownNameError("test set", name, bundled_sets())
    try:
        content = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise TemplateError(f"The template file {path} cannot be read: {error}.") from error
    return parse_template(content, str(path), path.parent)
