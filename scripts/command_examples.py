"""The examples of the command reference, and the small files that they read."""

import os
from pathlib import Path

EXAMPLES: dict[str, list[str]] = {
    "audit": ["unslant audit --record audit.json --html audit.html"],
    "debias": ['unslant debias --with "hard | misp" -o fair.safetensors --record debias.json'],
    "recommend": ["unslant recommend --for audit"],
    "places": ["unslant places minilm"],
    "heads": ["unslant heads minilm-heads --set crows-pairs --kinds gender --check 4"],
    "layers": ["unslant layers weat minilm --test career-family"],
    "comes-back": ['unslant comes-back minilm --with "leace@layer:-2"'],
    "measure": ["unslant measure weat --test career-family"],
    "metrics": ["unslant metrics", "unslant metrics weat"],
    "probe": ["unslant probe"],
    "probe eec": ["unslant probe eec"],
    "probe nli": ["unslant probe nli --set marked-attribute", "unslant probe nli --list"],
    "probe stereoset": ["unslant probe stereoset minilm-heads --tasks intra --domain gender"],
    "probe crows-pairs": ["unslant probe crows-pairs minilm-heads --kinds gender"],
    "probe aul": ["unslant probe aul minilm-heads --kinds gender"],
    "probe winobias": ["unslant probe winobias"],
    "probe winogender": ["unslant probe winogender"],
    "probe winopron": ["unslant probe winopron"],
    "probe gap": ["unslant probe gap"],
    "probe perplexity": ["unslant probe perplexity smollm2"],
    "probe sowinobias": ["unslant probe sowinobias --sample"],
    "probe cbs": ["unslant probe cbs minilm-heads"],
    "probe lpbs": ["unslant probe lpbs minilm-heads"],
    "probe masked-accuracy": ["unslant probe masked-accuracy minilm-heads"],
    "probe aceat": ["unslant probe aceat minilm --corpus people.conll --by gender"],
    "probe name-swap": ["unslant probe name-swap --corpus people.conll --export sentences.csv"],
    "score coref": ["unslant score coref key.conll response.conll"],
    "train heads": [
        "unslant train heads minilm --heads minilm-heads.safetensors -o minilm-heads",
    ],
    "train glove": ["unslant train glove text.txt -o own.safetensors --minimum 2 --dimensions 20"],
    "train gn-glove": [
        "unslant train gn-glove text.txt -o neutral.safetensors --minimum 2 --dimensions 20",
    ],
    "study run": ["unslant study run small.toml -o small"],
    "study resume": ["unslant study resume small"],
    "study status": ["unslant study status small"],
    "study table": ["unslant study table small --by method"],
    "study correlate": ["unslant study correlate small --with E"],
    "study rank": ["unslant study rank small --on E --on DB"],
    "study best": ['unslant study best small --by "WEAT 6"'],
    "study diff": ["unslant study diff small small"],
    "study show": ["unslant study show small slice/hard/DB"],
    "study recompute": ["unslant study recompute small slice/hard/DB"],
    "serve": ["unslant serve --no-browser --port 8765"],
    "report": ["unslant report audit.json -o again.html"],
    "check": ['unslant check audit.json --max "weat:career-family=2"'],
    "card": ["unslant card audit.json"],
    "figures": ["unslant figures audit.json -o figures --form svg"],
    "methods": ["unslant methods", "unslant methods hard"],
    "subspace": ["unslant subspace --concept nationality", "unslant subspace --list"],
    "concepts": ["unslant concepts"],
    "concepts show": ["unslant concepts show gender"],
    "concepts list": ["unslant concepts list dev-2020/occupations"],
    "swap": ['unslant swap "He told Mary that her brother is a nurse."'],
    "convert": ["unslant convert fair.safetensors fair.txt --limit 5000"],
    "doctor": ["unslant doctor damaged.txt"],
    "data": ["unslant data"],
    "cache": ["unslant cache"],
}
"""What is run for each command, in an order in which each finds the files of the earlier ones."""

SETUP = [
    "unslant train heads minilm --heads minilm-heads.safetensors -o minilm-heads",
    "unslant audit --record audit.json --html audit.html",
    'unslant debias --with "hard | misp" -o fair.safetensors --record debias.json',
]

_MODEL = "It needs data or a model that is not in the package: [a run and its numbers](../{})."
NOT_RUN = {
    "data fetch": "It needs a network, so no example was run.",
    "probe nli-accuracy": _MODEL.format("encoder-nli.md"),
    "train nli": _MODEL.format("encoder-nli.md"),
    "train ner": _MODEL.format("train-ner.md"),
    "train sentiment": _MODEL.format("adversaries.md"),
    "train coref": _MODEL.format("train-coref.md"),
}
"""Commands without an example that a script can run on what is here, and why."""

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
    "{} won a wonderful prize .",
    "{} was sad about the terrible news .",
    "Yesterday {} enjoyed a great meal .",
    "{} hated the awful weather .",
)


def make_inputs(folder: Path, root: Path) -> None:
    """Write what the examples read, and link what is in the repository or among the models."""
    models = os.environ.get("UNSLANT_MODELS")
    for name in ("minilm", "smollm2"):
        if not models or not (Path(models) / name).is_dir():
            raise SystemExit(f"Set UNSLANT_MODELS to a folder with {name}: scripts/test_models.py.")
        (folder / name).symlink_to(Path(models).resolve() / name)
    results = root / "experiments" / "results"
    (folder / "minilm-heads.safetensors").symlink_to(results / "minilm-heads.safetensors")
    (folder / "small.toml").write_text(_STUDY)
    rows = ["the 0.1 0.2 0.3", "nurse 0.3 0.1 0.2", "cut 0.1 0.2", "the 0.5 0.5 0.5"]
    (folder / "damaged.txt").write_text("\n".join(rows) + "\n")
    (folder / "people.conll").write_text("\n".join(map(_tagged, _PEOPLE)))
    for name, second in (("key", "(0)"), ("response", "(1)")):
        (folder / f"{name}.conll").write_text(_clusters(second))
    sentences = [f"the {who} liked the {what} and the dog" for who in _WHO for what in _WHAT]
    (folder / "text.txt").write_text("\n".join(sentences * 20))


_WHO = ("man", "woman", "boy", "girl", "he", "she", "nurse", "doctor", "father", "mother")
_WHAT = ("house", "river", "book", "car", "garden", "song", "king", "queen")


def _tagged(sentence: str) -> str:
    words = sentence.format("John").split()
    return "\n".join(f"{word} {'B-PER' if word == 'John' else 'O'}" for word in words) + "\n"


def _clusters(second: str) -> str:
    words = [("Anna", "(0)"), ("said", "-"), ("that", "-"), ("she", second), ("slept", "-")]
    lines = [f"doc 0 {place} {word} - {mark}" for place, (word, mark) in enumerate(words)]
    return "\n".join(["#begin document (doc); part 000", *lines, "", "#end document", ""])
