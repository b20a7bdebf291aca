"""Pairs of sentences and their controls, put to a model."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.files import Progress
from unslant.core.seeds import generator
from unslant.core.types import Array
from unslant.predictors.protocols import MASK, Likelihood, Masking
from unslant.probes.held_out.text import one_for_each
from unslant.probes.likelihood.controlled import ControlledContrasts, WordGroups
from unslant.probes.likelihood.pair_sets import Compared, Scored, compared, scored_words

# Matched controls: the same words in sentences where the group is irrelevant.
#
# A language model prefers frequent words, and words of few pieces, in any sentence. What it
# prefers in a stereotyped sentence is therefore no bias unless it exceeds what it prefers
# elsewhere. Each pair gets control sentences that have exactly its own changed words, hence the
# same frequencies and the same pieces, and say nothing about people (after Pikuliak et al. 2023).

MarkedPair = tuple[str, str]


@cache
def templates() -> tuple[str, ...]:
    """The sentences, each with one {} for the words."""
    path = files("unslant.probes.likelihood") / "data" / "controls.toml"
    return tuple(tomllib.loads(path.read_text(encoding="utf-8"))["templates"])


def controls_for(
    changed: Sequence[tuple[str, str]], scored: Scored, *, count: int, seed: int = 0
) -> list[list[MarkedPair]]:
    """For each pair of changed words, ``count`` pairs of sentences with the scored words marked.

    The templates of a pair are drawn by the seed and the number of the pair, so pairs with the same
    words have different controls, whose errors average out. ``scored`` is what is scored in the
    pair itself: StereoSet scores the ``changed`` words, CrowS-Pairs the ``shared`` ones.

    >>> controls_for([("poor", "rich")], "changed", count=1)[0][0][0].count("[[poor]]")
    1
    """
    known = templates()
    found = []
    for number, words in enumerate(changed):
        rng = generator(seed, "controls", str(number), *words)
        drawn = rng.choice(len(known), size=min(count, len(known)), replace=False).tolist()
        texts = [[_marked(known[place], word, scored) for word in words] for place in drawn]
        found.append([(more, less) for more, less in texts])
    return found


def _marked(template: str, words: str, scored: Scored) -> str:
    before, after = (part.strip(" ") for part in template.split("{}"))
    gap = "" if template[template.index("}") + 1] != " " else " "
    if scored == "shared":
        return f"[[{before}]] {words}{gap}[[{after}]]"
    if scored == "changed":
        return f"{before} [[{words}]]{gap}{after}"
    return f"[[{before} {words}{gap}{after}]]"


_TOGETHER = 4_096
"""How many texts are scored at a time: many, because equal sequences are read once."""
_ROUNDING = 1e-6


@dataclass(frozen=True)
class PairAnswers:
    """The logarithm of each sentence (pairs × 2) and of each control (pairs × controls × 2).

    ``lengths`` is how many words of each pair are scored, relative to its controls.
    """

    pairs: tuple[Compared, ...]
    logs: Array
    controls: Array
    lengths: Array

    @property
    def differences(self) -> Array:
        """The log-odds of each pair: the more stereotyped sentence less the other."""
        return self.logs[:, 0] - self.logs[:, 1]

    @cached_property
    def contrasts(self) -> ControlledContrasts:
        """The log-odds of pairs and controls, with the pairs that share words."""
        gaps = self.controls[:, :, 0] - self.controls[:, :, 1]
        return ControlledContrasts.scaled(self.differences, gaps, self.groups, self.lengths)

    @cached_property
    def groups(self) -> WordGroups:
        """Which pairs share their changed words."""
        return WordGroups.of([pair.changed for pair in self.pairs])

    @property
    def is_constant(self) -> bool:
        """Whether the model gave the same answer to every sentence, or to both of every pair."""
        return not self.differences.any()


def ask_pairs(
    model: Likelihood,
    sentences: Sequence[tuple[str, str]],
    scored: Scored,
    masking: Masking,
    *,
    controls: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> PairAnswers:
    """Every sentence and every control, each distinct text once."""
    pairs = tuple(compared(more, less, scored) for more, less in sentences)
    matched = controls_for([pair.changed for pair in pairs], scored, count=controls, seed=seed)
    texts = [text for pair in pairs for text in (pair.more, pair.less)]
    texts += [text for some in matched for pair in some for text in pair]
    logs = asked(model, texts, masking, progress)
    own, rest = logs[: 2 * len(pairs)], logs[2 * len(pairs) :]
    lengths = np.array(
        [
            np.mean([scored_words(pair.more), scored_words(pair.less)])
            / np.mean([scored_words(text) for control in some for text in control] or [1])
            for pair, some in zip(pairs, matched, strict=True)
        ]
    )
    return PairAnswers(pairs, own.reshape(-1, 2), rest.reshape(len(pairs), -1, 2), lengths)


def asked(
    model: Likelihood, texts: Sequence[str], masking: Masking, progress: Progress | None = None
) -> Array:
    """One logarithm for each text; anything else is refused."""
    distinct = list(dict.fromkeys(texts))
    who = f"{type(model).__name__}.log_likelihoods"
    found: list[Array] = []
    for start in range(0, len(distinct), _TOGETHER):
        some = distinct[start : start + _TOGETHER]
        given = model.log_likelihoods(some, masking)
        found.append(one_for_each(given, some, low=-math.inf, high=_ROUNDING, who=who))
        if progress:
            progress("Scoring sentences", start + len(some), len(distinct))
    known = dict(zip(distinct, np.concatenate(found).tolist() if found else (), strict=True))
    return np.array([known[text] for text in texts], dtype=np.float64)


def is_decoder(model: Any) -> bool:
    """Whether a model says that it reads from left to right."""
    return bool(getattr(model, "is_causal", False))


# Self-Debias as a parameter of the likelihood tests.


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
    """The identity of a modified predictor, for a measurement."""
    name, sha256 = getattr(model, "name", ""), getattr(model, "sha256", "")
    return {"model": name, "model_sha256": sha256} if name and sha256 else {}


# How much an attribute raises a target's probability: log p(target | attribute) − log p(target).
#
# In a masked model the target is scored in the sentence with the attribute, and in the same
# sentence with a gap in the attribute's place, which takes away how frequent the target is. A
# decoder cannot look ahead, so the attribute is scored after the target: log p(attribute |
# target). The two differ by log p(attribute), which is the same for all targets, so that
# differences and variances over targets are those of the same quantity (Bayes' rule).

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
