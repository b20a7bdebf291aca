"""The test sets: bundled ones by name, a user's own by path, and any concept's."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from unslant.concepts import Concept, WordList
from unslant.concepts import concept as concept_called
from unslant.core.errors import UnknownNameError, quoted
from unslant.core.text_files import small_text
from unslant.core.toml_source import Where
from unslant.probes.nli.pairset import PairSet
from unslant.probes.nli.sentences import Fillers, TemplateError, sentence_from
from unslant.probes.nli.sentences import pairing as rules_of
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
        # The name and the version identify the text of a bundled set.
        return replace(parse_template(bundled.read_text(encoding="utf-8"), name), made_from={})
    path = Path(name_or_path)
    if path.suffix != ".toml":
        raise UnknownNameError("test set", name, bundled_sets())
    try:
        content = small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise TemplateError(f"The template file {path} cannot be read: {error}.") from error
    return parse_template(content, str(path), path.parent)


# A test set for any concept: its neutral words entail none of its groups.

SENTENCE = "{determiner} {subject} {verb} {article} {object} ."
PRONOUNS = frozenset({"he", "she", "they", "it", "we", "you", "i"})
"""Subjects that take no determiner."""
_FORMS = "him her his hers himself herself them their theirs themselves its itself"
NO_SUBJECTS = frozenset(_FORMS.split(" "))
"""Forms of the same that cannot be the subject of a sentence."""


def pair_set_of(
    concept: Concept | str | Path,
    *,
    premise: str | Sequence[str] | None = None,
    hypothesis: str | Mapping[str, Sequence[str]] | None = None,
    sentence: str = SENTENCE,
    determiner: str = "The",
    pairing: str = "fitting",
    family: str = "neutrality",
    contexts: int | None = None,
    seed: int = 0,
) -> PairSet:
    """Pairs from words that should not carry the concept to words of its groups.

    ``premise`` is a list of the concept by name, or words; by default its occupations, else its
    first neutral list. ``hypothesis`` is "words" or "names" of the groups, a table or a list of
    the concept by name, or words by group; by default the words, else the names. Words that
    cannot be subjects are left out and named in ``about``; a repeated word counts once.
    ``contexts`` keeps that many activities, drawn with ``seed``.

    >>> pair_set_of("gender", premise=["nurse"], hypothesis="names").hypothesis_words[0]
    'emma'
    """
    item = concept if isinstance(concept, Concept) else concept_called(concept)
    first = dict.fromkeys(_premise(item, premise))
    parts = _hypothesis(item, hypothesis)
    every = dict.fromkeys(word for words in parts.values() for word in words)
    left_out = [word for word in every if word.lower() in NO_SUBJECTS]
    words = tuple(word for word in every if word.lower() not in NO_SUBJECTS)
    are_names = hypothesis == "names" or (hypothesis is None and not item.words)
    if not first or not words:
        raise TemplateError(f'"{item.name}" gives no subjects for a test set with these lists.')
    groups = {
        name: tuple(word for word in part if word in set(words)) for name, part in parts.items()
    }
    bare = words if are_names else tuple(word for word in words if word.lower() in PRONOUNS)
    about = f"From {len(first)} neutral words to {len(words)} words of the concept {item.name}."
    if left_out:
        about += f" Left out, as they cannot be subjects: {quoted(left_out, len(left_out))}."
    template = Template(
        name=f"{item.name}-concept",
        title=f"{item.title}: neutral words say nothing of it",
        about=about,
        concept=item.name,
        sentence=sentence_from(sentence),
        premise=Fillers(words=tuple(first)),
        hypothesis=Fillers(
            words=words,
            groups={name: part for name, part in groups.items() if name and part},
            bare=frozenset(bare),
            proper=are_names,
        ).checked(Where(item.name) / "hypothesis"),
        rules=rules_of(pairing),
        determiner=determiner,
        family=family,
        made_from={
            "of_concept": {
                "name": item.name,
                "content_sha256": item.content_hash,
                "premise": list(first),
                "hypothesis": {name: list(part) for name, part in parts.items()},
                "sentence": sentence,
            },
            "options": {
                "determiner": determiner,
                "pairing": pairing,
                "contexts": contexts,
                "seed": seed,
            },
        },
    )
    return expand(template, contexts=contexts, seed=seed)


def _premise(item: Concept, premise: str | Sequence[str] | None) -> Sequence[str]:
    if premise is None:
        if not item.neutral:
            raise TemplateError(
                f'The concept "{item.name}" has no neutral words. Name the premise words '
                f"yourself, or add a [neutral] list to the concept."
            )
        name = "occupations" if "occupations" in item.neutral else next(iter(item.neutral))
        return item.neutral[name].all_words
    return item.list(premise).all_words if isinstance(premise, str) else tuple(premise)


def _hypothesis(
    item: Concept, hypothesis: str | Mapping[str, Sequence[str]] | None
) -> Mapping[str, Sequence[str]]:
    """Words by group; a list without groups has the empty name."""
    if hypothesis is not None and not isinstance(hypothesis, str):
        return hypothesis
    places: dict[str, Mapping[str, WordList]] = {"words": item.words, "names": item.names}
    if hypothesis is None or hypothesis in places:
        lists = item.members if hypothesis is None else places[hypothesis]
        if not lists:
            known = sorted({*item.lists, *item.specific, *item.sets})
            if not known:
                raise TemplateError(
                    f'The concept "{item.name}" has no {hypothesis or "words"} of its groups and '
                    f"no lists. Name the hypothesis words yourself, by group."
                )
            raise UnknownNameError(f"list of {item.name}", hypothesis or "words", known)
        return {group: words.all_words for group, words in lists.items()}
    found = item.list(hypothesis)
    if found.columns and set(found.columns) == set(item.groups):
        return {group: found.column(group).words for group in item.groups}
    return {"": found.all_words}
