"""Matched controls: the same words in sentences in which the group is irrelevant.

A language model prefers frequent words, and words of few pieces, in any sentence. What it prefers
in a stereotyped sentence is therefore no bias unless it exceeds what it prefers elsewhere. Each
pair gets control sentences that have exactly its own changed words, hence the same frequencies and
the same pieces, and say nothing about people (after Pikuliak et al. 2023).
"""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from unslant.core.seeds import generator
from unslant.probes.likelihood.comparison import Scored

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
