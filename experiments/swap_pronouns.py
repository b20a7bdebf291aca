"""How sure and how right the rules for her are, on texts whose answer is known without reading.

    python -m experiments.swap_pronouns

In a text, every him and his before a noun is replaced by her; the rules must find out which it
was. The texts are the Wikipedia paragraphs of GAP, which were not looked at while the rules were
written, in the folder that UNSLANT_DATA names. A his that stands alone has no such answer (it
would be hers) and is left out.
"""

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from unslant.concepts.swap.pronouns import AFTER_OBJECT, BARE_VERBS, role_of_her
from unslant.concepts.swap.tokens import TokenPlace, tokens_of
from unslant.numerics.bootstrap import wilson_interval

_MALE = re.compile(r"\b(h)(?:im|is)\b", re.IGNORECASE)


def paragraphs() -> Iterator[str]:
    """The texts of GAP."""
    for path in sorted((Path(os.environ["UNSLANT_DATA"]) / "gap").glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                yield row["Text"]


def outcomes(text: str) -> Iterator[tuple[str, bool, bool]]:
    """For every him or his: the word, whether the rules are sure, and whether they are right."""
    other = _MALE.sub(lambda found: found[1] + ("ER" if found[0].isupper() else "er"), text)
    before, after = tokens_of(text), tokens_of(other)
    if len(before) != len(after):
        return
    for index, token in enumerate(before):
        follower = before[index + 1] if index + 1 < len(before) else None
        if token.lower not in ("him", "his") or (token.lower == "his" and _is_alone(follower)):
            continue
        role = role_of_her(TokenPlace(after, index, other))
        yield token.lower, role.is_sure, role.has_noun == (token.lower == "his")


def _is_alone(follower: object) -> bool:
    """Whether his has no noun: a sign, or a word that is never part of a noun phrase, follows."""
    word = getattr(follower, "lower", ".")
    return not word[0].isalpha() or word in AFTER_OBJECT - BARE_VERBS - {"like", "past", "near"}


def main() -> None:
    found: Counter[tuple[str, bool, bool]] = Counter()
    for text in sorted(set(paragraphs())):
        found.update(outcomes(text))
    for word in ("him", "his"):
        total = sum(count for key, count in found.items() if key[0] == word)
        sure = sum(count for key, count in found.items() if key[:2] == (word, True))
        wrong = found[(word, True, False)]
        low, high = wilson_interval(wrong, sure)
        print(
            f"{word}: {total:,}, sure {sure / total:.1%}, wrong among sure {wrong} of {sure:,} "
            f"[{low:.2%}, {high:.2%}], guesses right {found[(word, False, True)]} of {total - sure}"
        )


if __name__ == "__main__":
    main()
