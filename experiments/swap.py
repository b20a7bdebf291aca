"""How often the swap is right on 500 sentences read by hand, and what others do on the same ones.

    python -m experiments.swap

compares the swap with the edits in results/swap-edits.csv, which were written by a reader of the
sample with seed 2024 (see swap_sample.py), and writes results/swap.csv (one row per sentence) and
results/swap-peers.csv. The sentences are not in this repository; a hash identifies each.

In the edits, ``new`` is what the word should become; ``a|b`` accepts both,
and ``*`` any other name or word.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from experiments.swap_peers import PEERS
from experiments.swap_sample import Sentence, sample
from unslant.concepts.swap import swap_of
from unslant.numerics.bootstrap import wilson_interval

SEED = 2024
RESULTS = Path(__file__).parent / "results"
OUTCOMES = [
    f"{status}-{kind}"
    for status in ("certain", "ambiguous", "untouched")
    for kind in ("right", "wrong")
] + ["missed"]


@dataclass(frozen=True)
class Edit:
    """What a reader says about a word: where it is, what it should become, name or other word."""

    key: str
    start: int
    old: str
    new: str
    kind: str

    def accepts(self, word: str) -> bool:
        """Whether a word in its place is right, whatever its case."""
        if self.new == "*":
            return word.lower() != self.old.lower()
        return word.lower().rstrip(".") in self.new.lower().rstrip(".").split("|")


def edits() -> dict[str, list[Edit]]:
    """The reader's edits by sentence."""
    found: dict[str, list[Edit]] = {}
    with (RESULTS / "swap-edits.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            edit = Edit(row["key"], int(row["start"]), row["old"], row["new"], row["kind"])
            found.setdefault(edit.key, []).append(edit)
    return found


def outcomes(sentence: Sentence, wanted: Iterable[Edit]) -> tuple[Counter[str], list[str]]:
    """How each word of a sentence came out, and the words that came out wrong."""
    words = {word.start: word for word in swap_of("gender")(sentence.text).words}
    found: Counter[str] = Counter()
    notes = []
    for edit in wanted:
        word = words.pop(edit.start, None)
        if word is None:
            outcome = "missed" if not edit.accepts(edit.old) else "untouched-right"
        else:
            outcome = f"{word.status}-{'right' if edit.accepts(word.new) else 'wrong'}"
        found[outcome] += 1
        if not outcome.endswith("right"):
            notes.append(edit.old)
    for word in words.values():  # a word that the reader did not name must be left as it is
        found[f"{word.status}-{'wrong' if word.is_changed else 'right'}"] += 1
    return found, notes


def right_words(swap: Callable[[str], str], text: str, wanted: Iterable[Edit]) -> list[bool]:
    """Whether each word is right in the text that a swap gives; words are found by their number."""
    places = [found.start() for found in _words(text)]
    given = [found[0] for found in _words(swap(text))]
    if len(given) != len(places):
        return [False for _ in wanted]
    return [edit.accepts(given[places.index(edit.start)]) for edit in wanted]


def _words(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"[^\W\d_]+", text))


def write(name: str, rows: list[dict[str, object]]) -> None:
    with (RESULTS / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def share(successes: int, total: int) -> str:
    low, high = wilson_interval(successes, total)
    return f"{successes:,} of {total:,} = {successes / total:.2%} [{low:.2%}, {high:.2%}]"


def main() -> None:
    known = edits()
    sentences = sample(SEED)
    rows: list[dict[str, object]] = []
    totals: Counter[str] = Counter()
    for number, sentence in enumerate(sentences):
        found, notes = outcomes(sentence, known.get(sentence.key, []))
        totals += found
        first = {"source": sentence.source, "number": number, "key": sentence.key}
        counts = {name: found[name] for name in OUTCOMES}
        rows.append({**first, "words": sum(found.values()), **counts, "note": " ".join(notes)})
    write("swap.csv", rows)
    total = sum(totals.values())
    for name in OUTCOMES:
        print(f"{name}: {totals[name]:,}")
    wrong = sum(totals[name] for name in OUTCOMES if not name.endswith("right"))
    certain = totals["certain-right"] + totals["certain-wrong"]
    print("certain:", share(certain, total))
    print("wrong among certain:", share(totals["certain-wrong"], certain))
    print("wrong or missed:", share(wrong, total))
    write("swap-peers.csv", peers(sentences, known))


def peers(sentences: list[Sentence], known: dict[str, list[Edit]]) -> list[dict[str, object]]:
    """Every program on the words that are not names."""
    ours = swap_of("gender", names=False)
    rows: list[dict[str, object]] = []
    for name, swap in {"Unslant": lambda text: ours(text).text, **PEERS}.items():
        words: list[bool] = []
        whole: list[bool] = []
        for sentence in sentences:
            wanted = [edit for edit in known.get(sentence.key, []) if edit.kind == "word"]
            found = right_words(swap, sentence.text, wanted)
            words += found
            whole.append(all(found))
        print(f"{name}: words {share(sum(words), len(words))}")
        print(f"{name}: sentences {share(sum(whole), len(whole))}")
        counts = {"words": len(words), "right-words": sum(words)}
        rows.append(
            {"swap": name, **counts, "sentences": len(whole), "right-sentences": sum(whole)}
        )
    return rows


if __name__ == "__main__":
    main()
