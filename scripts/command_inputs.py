"""The small files that the examples of the command reference read."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from unslant.datasets.registry import dataset, find

_STUDY = """name = "small"

[resources]
slice = "builtin"

[methods]
original = ""
hard = "hard"
linear = "linear"
leace = "leace"
random = "random"

[measures]
"WEAT 6" = { measure = "weat", test = "career-family" }
"WEAT 7" = { measure = "weat", test = "math-arts" }
DB = "direct-bias"
E = { probe = "nli", set = "marked-attribute", measure = "marked-error", contexts = 20 }

[[matrix]]
resources = ["slice"]
methods = ["original", "hard", "linear", "leace", "random"]
measures = ["WEAT 6", "WEAT 7", "DB", "E"]
concepts = ["gender"]
"""
_PEOPLE = (
    ("{} won a wonderful prize .", "positive"),
    ("{} was sad about the terrible news .", "negative"),
    ("Yesterday {} enjoyed a great meal .", "positive"),
    ("{} hated the awful weather .", "negative"),
)
_NAMES = ("John", "Emily", "Jamal", "Lakisha", "Anna", "Brad", "Greg", "Ebony")
_WHO = ("man", "woman", "boy", "girl", "he", "she", "nurse", "doctor", "father", "mother")
_WHAT = ("house", "river", "book", "car", "garden", "song", "king", "queen")
_EATEN = {"apple": "fruit", "pear": "fruit", "steak": "meat", "chicken": "meat"}


def make_inputs(folder: Path, root: Path, of_models: Sequence[str] = ("minilm", "smollm2")) -> None:
    """Write what the examples read, and link what is in the repository or among the models."""
    models = os.environ.get("UNSLANT_MODELS")
    for name in of_models:
        if not models or not (Path(models) / name).is_dir():
            raise SystemExit(f"Set UNSLANT_MODELS to a folder with {name}: scripts/test_models.py.")
        (folder / name).symlink_to(Path(models).resolve() / name)
    results = root / "experiments" / "results"
    (folder / "minilm-heads.safetensors").symlink_to(results / "minilm-heads.safetensors")
    (folder / "small.toml").write_text(_STUDY)
    rows = ["the 0.1 0.2 0.3", "nurse 0.3 0.1 0.2", "cut 0.1 0.2", "the 0.5 0.5 0.5"]
    (folder / "damaged.txt").write_text("\n".join(rows) + "\n")
    (folder / "people.conll").write_text(_tagged(_NAMES[:1]))
    sentences = [f"the {who} liked the {what} and the dog" for who in _WHO for what in _WHAT]
    (folder / "text.txt").write_text("\n".join(sentences * 20))
    for name, second in (("key", "(0)"), ("response", "(1)")):
        (folder / f"{name}.conll").write_text(_document("story", "Anna", second))
    _make_corpora(folder)


def _make_corpora(folder: Path) -> None:
    """What models are trained on: pairs, tagged sentences, reviews, stories."""
    for name in ("pairs", "tagged", "stories"):
        (folder / name).mkdir()
    for part, eaters in (("train", _WHO[2:]), ("dev", _WHO[:2])):
        lines = (json.dumps(pair) for pair in _pairs(eaters))
        (folder / "pairs" / f"{part}.jsonl").write_text("\n".join(lines) + "\n")
    for part, names in (("train", _NAMES[4:]), ("dev", _NAMES[2:4]), ("test", _NAMES[:2])):
        (folder / "tagged" / f"{part}.txt").write_text(_tagged(names))
    reviews = [f"{text.format(name)}\t{label}" for name in _NAMES for text, label in _PEOPLE]
    (folder / "reviews.tsv").write_text("\n".join(["text\tlabel", *reviews]) + "\n")
    for name in (*_NAMES, "Mary"):
        (folder / "stories" / f"{name}.conll").write_text(_document(name, name, "(0)"))


def fetched(name: str) -> None:
    """Put a public file that UNSLANT_DATA has where a download would be."""
    place = dataset(name).download
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(find(name), place)


def _pairs(eaters: Sequence[str]) -> Iterator[dict[str, str]]:
    for who, (food, kind), (other, _) in product(eaters, _EATEN.items(), _EATEN.items()):
        premise = f"The {who} eats one {food}."
        for what, label in ((kind, "entailment"), (other, "contradiction"), ("lot", "neutral")):
            if what != food:
                hypothesis = f"The {who} eats one {what}."
                yield {"sentence1": premise, "sentence2": hypothesis, "gold_label": label}


def _tagged(names: Sequence[str]) -> str:
    sentences = [
        "\n".join(f"{word} {'B-PER' if word == name else 'O'}" for word in text.split()) + "\n"
        for name in names
        for text in (pattern.format(name) for pattern, _ in _PEOPLE)
    ]
    return "\n".join(sentences)


def _document(name: str, who: str, second: str) -> str:
    words = [(who, "(0)"), ("said", "-"), ("that", "-"), ("she", second), ("slept", "-")]
    lines = [f"{name} 0 {place} {word} - {mark}" for place, (word, mark) in enumerate(words)]
    return "\n".join([f"#begin document ({name}); part 000", *lines, "", "#end document", ""])
