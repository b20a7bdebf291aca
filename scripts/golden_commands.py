"""The commands, plans and records of the safety net; golden.py runs and compares them."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One command of the net.

    ``keeps`` are the records it writes that are compared too; ``is_fast`` steps run inside the
    tests. Steps of a chain run in order in one folder, so a step finds the files of earlier ones.
    """

    name: str
    line: str
    keeps: tuple[str, ...] = ()
    is_fast: bool = False


def _measured(*calls: str, is_fast: bool = True) -> Iterator[Step]:
    for call in calls:
        name = "measure-" + "-".join(
            word for word in call.replace('"', "").split() if not word.startswith("-")
        )
        yield Step(name, f"unslant measure {call} --json", is_fast=is_fast)


def _study(plan: str, *, is_fast: bool = False) -> Iterator[Step]:
    yield Step(
        f"study-{plan}",
        f"unslant study run {plan}.toml -o study-{plan}",
        (f"study-{plan}/record.json",),
        is_fast,
    )
    yield Step(
        f"study-{plan}-table", f"unslant export table study-{plan} --format csv", is_fast=is_fast
    )


VECTORS = (
    Step("metrics", "unslant list metrics", is_fast=True),
    Step("metrics-weat", "unslant list metrics weat", is_fast=True),
    Step("methods", "unslant list methods", is_fast=True),
    Step("methods-hard", "unslant list methods hard", is_fast=True),
    Step("probes", "unslant list probes", is_fast=True),
    Step("probe-nli-sets", "unslant list probes nli", is_fast=True),
    Step("concepts", "unslant list concepts", is_fast=True),
    Step("concepts-show", "unslant list concepts gender", is_fast=True),
    Step("concepts-list", "unslant list words dev-2020/occupations", is_fast=True),
    Step("directions", "unslant list directions", is_fast=True),
    Step("data", "unslant list data", is_fast=True),
    *_measured(
        "weat --test career-family",
        "weat --test names-pleasant --concept race",
        "direct-bias",
        "ect --test math-arts",
        "mac --test career-family",
        "rnd --test career-family",
        "same",
        "ripa",
        "sembias",
        "mdl",
        "eqt --missing drop",
        "clustering",
        "recoverability",
        "biased-analogies",
        "indirect-bias",
        "weat --test young-old-pleasant --concept age",
    ),
    *_measured("rnsb --concept religion", "gipe", is_fast=False),
    Step("subspace", "unslant inspect subspace --concept nationality", is_fast=True),
    Step("swap", 'unslant files swap "He told Mary that her brother is a nurse."', is_fast=True),
    Step("doctor", "unslant files doctor damaged.txt", is_fast=True),
    Step("score-coref", "unslant probe coref-scores key.conll response.conll", is_fast=True),
    Step(
        "debias-race",
        "unslant debias --concept race --with hard -o race.safetensors --record race.json",
        ("race.json",),
    ),
    Step("audit", "unslant audit --record audit.json --html audit.html", ("audit.json",)),
    Step(
        "debias",
        'unslant debias --with "hard | misp" -o fair.safetensors --record debias.json',
        ("debias.json",),
    ),
    Step(
        "debias-leace",
        "unslant debias --with leace -o leace.safetensors --record leace.json --measure main",
        ("leace.json",),
    ),
    Step("recommend", "unslant recommend --for audit --record recommend.json", ("recommend.json",)),
    Step("check", 'unslant check audit.json --max "weat:career-family=2"'),
    Step("card", "unslant card audit.json"),
    Step("convert", "unslant files convert fair.safetensors -o fair.txt --limit 5000"),
    Step("doctor-converted", "unslant files doctor fair.txt"),
    Step("probe-eec", "unslant probe eec --record eec.json", ("eec.json",), is_fast=True),
    Step(
        "probe-nli",
        "unslant probe nli --set marked-attribute --contexts 20 --record nli.json",
        ("nli.json",),
        is_fast=True,
    ),
    Step(
        "probe-sowinobias",
        "unslant probe sowinobias --sample --record sowinobias.json",
        ("sowinobias.json",),
        is_fast=True,
    ),
    Step("probe-winobias", "unslant probe winobias --record winobias.json", ("winobias.json",)),
    Step(
        "probe-winogender",
        "unslant probe winogender --record winogender.json",
        ("winogender.json",),
    ),
    Step("probe-gap", "unslant probe gap --record gap.json", ("gap.json",)),
    Step(
        "train-glove",
        "unslant train glove text.txt -o own.safetensors --minimum 2 --dimensions 20",
        is_fast=True,
    ),
    Step("doctor-trained", "unslant files doctor own.safetensors", is_fast=True),
    *_study("associations", is_fast=True),
    *_study("groups"),
    *_study("geometry"),
    *_study("inference"),
    Step("study-status", "unslant study status study-associations", is_fast=True),
    Step(
        "study-correlate",
        'unslant study correlate study-associations --on "WEAT 6"',
        is_fast=True,
    ),
    Step("study-rank", 'unslant study rank study-associations --on "WEAT 6" --on DB', is_fast=True),
    Step("study-best", 'unslant study best study-associations --on "WEAT 6"', is_fast=True),
    Step("study-show", "unslant study show study-associations slice/hard/DB", is_fast=True),
)
"""What needs only the built-in vectors and, not in the fast part, the public benchmarks."""

MODELS = (
    Step(
        "train-nli",
        "unslant train nli --data pairs -o own-nli.safetensors --batch 8 --learning-rate 0.003",
    ),
    Step(
        "probe-nli-accuracy",
        "unslant probe nli-accuracy --model own-nli.safetensors --data pairs",
    ),
    Step(
        "train-heads",
        "unslant train heads minilm --apply minilm-heads.safetensors -o minilm-heads",
    ),
    Step("places-minilm", "unslant inspect places minilm"),
    Step("places-gte-small", "unslant inspect places gte-small"),
    Step("places-smollm2", "unslant inspect places smollm2"),
    Step("layers", "unslant inspect layers weat minilm --test career-family"),
    Step("re-emergence", 'unslant inspect re-emergence minilm --with "leace@layer:-2"'),
    Step("measure-minilm", "unslant measure weat --test career-family minilm --json"),
    Step("measure-gte-small", "unslant measure weat --test math-arts gte-small --json"),
    Step("measure-smollm2", "unslant measure weat --test career-family smollm2 --json"),
    Step(
        "audit-minilm",
        "unslant audit minilm --record minilm.json --html m.html",
        ("minilm.json",),
    ),
    Step(
        "debias-minilm",
        "unslant debias minilm --with leace@sentence -o minilm-fair --measure main"
        " --record minilm-fair.json --html f.html",
        ("minilm-fair.json",),
    ),
    Step(
        "probe-crows-pairs",
        "unslant probe crows-pairs minilm-heads --kinds gender --record crows.json",
        ("crows.json",),
    ),
    Step(
        "probe-aul", "unslant probe aul minilm-heads --kinds age --record aul.json", ("aul.json",)
    ),
    Step(
        "probe-stereoset",
        "unslant probe stereoset minilm-heads --tasks intra --domain gender --record stereo.json",
        ("stereo.json",),
    ),
    Step("probe-lpbs", "unslant probe lpbs minilm-heads --record lpbs.json", ("lpbs.json",)),
    Step(
        "probe-perplexity",
        "unslant probe perplexity smollm2 --record perplexity.json",
        ("perplexity.json",),
    ),
    Step(
        "probe-aceat",
        "unslant probe aceat minilm --corpus people.conll --by gender --record aceat.json",
        ("aceat.json",),
    ),
    *_study("sentences"),
    *_study("answers"),
)
"""What needs the three real models."""
