"""Cut the built-in vectors out of GloVe 6B 100d.

    python scripts/cut_builtin_slice.py glove.6B.100d.txt SNLI_DEV_FOLDER

The slice holds the 30,000 most frequent words, every word of every bundled list and every word
of the SNLI development set (files s1.dev and s2.dev), as float16. Words that the source lacks
are listed beside it. GloVe: Pennington, Socher and Manning (2014), PDDL 1.0.
"""

import re
import sys
from pathlib import Path

import numpy as np

from unslant.concepts.wordlists import bundled_lists
from unslant.core.files import atomic_write, sha256_of_file, write_text
from unslant.core.lineage import Lineage
from unslant.vectors import WordVectors, load
from unslant.vectors.formats import safetensors

MOST_FREQUENT = 30_000
FOLDER = Path(__file__).parents[1] / "src" / "unslant" / "vectors" / "data"
NAME = "glove.6B.100d.slice"
TEMPLATE_WORDS = {"a", "an", "the", "person", "."}


def words_of_lists() -> set[str]:
    """Every word of every bundled list, whole and by its parts, in lower case."""
    whole = {word.lower() for item in bundled_lists().values() for word in item.all_words}
    parts = {part for word in whole for part in re.split(r"[\s:_-]+", word) if part}
    return {word for word in whole if ":" not in word} | parts


def words_of_snli(folder: Path) -> set[str]:
    """Every token of the development set, split at white space and into words and signs."""
    found: set[str] = set()
    for name in ("s1.dev", "s2.dev"):
        text = (folder / name).read_text(encoding="utf-8").lower()
        found.update(text.split())
        found.update(re.findall(r"n't|'\w+|\w+|[^\w\s]", text))
    return found


def main(source: Path, snli: Path) -> None:
    full = load(source)
    wanted = sorted(words_of_lists() | words_of_snli(snli) | TEMPLATE_WORDS)
    rows = full.words.rows_of(wanted)
    absent = [word for word, row in zip(wanted, rows, strict=True) if row < 0]
    chosen = np.union1d(np.arange(MOST_FREQUENT), rows[rows >= 0])
    words = full.words.take(chosen)
    matrix = full.matrix[chosen].astype(np.float16)
    cut = WordVectors(words, matrix.astype(np.float32), Lineage(NAME))
    origin = {
        "source": "GloVe 6B 100d, Wikipedia 2014 and Gigaword 5",
        "citation": "Pennington, Socher and Manning (2014). GloVe: Global Vectors for Word "
        "Representation. EMNLP.",
        "licence": "PDDL 1.0",
        "file": source.name,
        "sha256": sha256_of_file(source),
        "precision": "float16",
        "most_frequent": MOST_FREQUENT,
        "notes": [f"a slice of {len(full):,} words; {len(absent):,} wanted words are not in it"],
    }
    facts = {"name": NAME, "steps": [], "origin": origin, "content_hash": cut.content_hash}
    with atomic_write(FOLDER / f"{NAME}.safetensors") as stream:
        writer = safetensors.Writer(stream, full.dim, "<f2")
        writer.append(matrix)  # type: ignore[arg-type]  # half precision on purpose
        writer.finish(words, facts, with_index=False)
    write_text(FOLDER / f"{NAME}.absent.txt", "\n".join(absent) + "\n")
    print(f"CUT_FROM in unslant/vectors/load.py must be {full.content_hash}")
    print(f"{len(words):,} words, {len(absent):,} absent, {FOLDER / NAME}.safetensors")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
