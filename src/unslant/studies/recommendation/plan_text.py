"""The plan of a recommendation as TOML: sensible methods, controls, and measures of each kind."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unslant.concepts import Concept
from unslant.core.errors import UnslantError
from unslant.core.expression import Call
from unslant.core.toml_lines import inline
from unslant.datasets.benchmarks import benchmark_file
from unslant.models.nli.trained import builtin_nli
from unslant.studies.audit_jobs import jobs_of
from unslant.studies.recommendation.numbers import ORIGINAL
from unslant.vectors import WordVectors, load

# The methods that a recommendation compares, and the random controls that each has to beat.
#
# They are those of docs/methods-table.md that changed real vectors more than random directions
# do, one of each kind. `oscar`, `bam`, `soft` and `isr` are not among them: on GloVe and on
# word2vec they stay close to the control or change only the test that they are fitted on.

CONTROLS = 4
"""Random draws for either number of directions."""
MANY = 25
"""How many directions the control of a method that removes many takes out."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A method and how much it takes to use it: of two that do as well, the simpler is chosen.

    ``cost`` counts up: 1 is one fixed projection, 2 treats words by lists or rescales them, 3 is
    a chain or a regression, 4 repeats rounds of training, 5 moves every word by gradient descent.
    """

    expression: str
    cost: int
    removes_many: bool = False


CANDIDATES = (
    Candidate(expression="linear", cost=1),
    Candidate(expression="gbdd", cost=1),
    Candidate(expression="leace", cost=1),
    Candidate(expression="misp", cost=2),
    Candidate(expression="hard", cost=2),
    Candidate(expression="hard | misp", cost=3),
    Candidate(expression="double-hard", cost=3),
    Candidate(expression="half-sibling", cost=3),
    Candidate(expression="inlp", cost=4, removes_many=True),
    Candidate(expression="ran", cost=5),
)


def controls(dim: int) -> dict[str, tuple[str, bool]]:
    """Expressions of the random controls by label, and whether each removes many directions."""
    many = min(MANY, max(1, dim // 4))
    expressions = {}
    for removed, is_many in ((1, False), (many, True)):
        for seed in range(CONTROLS):
            named = f"random {removed}, draw {seed + 1}"
            expressions[named] = (f"random(seed={seed}, k={removed})", is_many)
    return expressions


LIMIT = 50_000
"""Of a larger file the most frequent words are compared; the method then acts on all."""
_MOST_TESTS = 8
_ON_CONCEPT = ("midb", "clustering", "recoverability")
_BENCHMARKS = (
    ("similarity", "men"),
    ("similarity", "simlex-999"),
    ("analogy", "google"),
)
_NLI = {
    "gender": ("marked-attribute", "marked-error"),
    "nationality": ("nationality", "nli-net-neutral"),
    "religion": ("religion", "nli-net-neutral"),
}
_EEC = {"gender": "eec-gender-absolute", "race": "eec-race-absolute"}
_CONTEXTS = 100
_ALIKE = 0.9
_COMPARED = 1_000


@dataclass(frozen=True, kw_only=True)
class Planned:
    """The text of a plan, and notes on the decisions behind it."""

    text: str
    notes: tuple[str, ...]


def plan_for(
    path: str, vectors: WordVectors, concept: Concept, concept_path: str, *, retrain: str = ""
) -> Planned:
    """The plan for vectors at ``path`` (or ``builtin``)."""
    notes: list[str] = []
    resource = {"path": path, **({"limit": LIMIT} if len(vectors) > LIMIT else {})}
    if len(vectors) > LIMIT:
        notes.append(
            f"The methods were compared on the {LIMIT:,} most frequent of {len(vectors):,} words."
        )
    methods = {ORIGINAL: "", **{item.expression: item.expression for item in CANDIDATES}}
    methods |= {label: text for label, (text, _) in controls(vectors.dim).items()}
    measures = dict(_measures(vectors, concept, retrain, notes))
    lines = [
        f"# Which method for {concept.name}? Run it again with: unslant study run PLAN -o FOLDER",
        f"name = {inline(f'recommend for {concept.name}')}",
        "",
        "[resources]",
        f"vectors = {inline(resource if len(resource) > 1 else path)}",
        "",
        "[methods]",
        *(f"{inline(label)} = {inline(text)}" for label, text in methods.items()),
        "",
        "[measures]",
        *(f"{inline(label)} = {inline(value)}" for label, value in measures.items()),
        "",
        "[[matrix]]",
        f"concept = {inline(concept_path)}",
        "",
    ]
    return Planned(text="\n".join(lines), notes=tuple(notes))


def _measures(
    vectors: WordVectors, concept: Concept, retrain: str, notes: list[str]
) -> Iterator[tuple[str, str | dict[str, str | int]]]:
    for name in list(concept.tests)[:_MOST_TESTS]:
        yield f"WEAT {name}", {"measure": "weat", "test": name}
    seen: set[str] = set()
    for call, subject in jobs_of(concept, quality=False):
        is_wanted = call.name == "direct-bias" or call.name in _ON_CONCEPT
        if subject is concept and is_wanted and call.name not in seen:
            seen.add(call.name)
            yield call.name.replace("-", " "), str(call)
    yield from _downstream(vectors, concept, retrain, notes)
    yield from _quality(notes)


def _downstream(
    vectors: WordVectors, concept: Concept, retrain: str, notes: list[str]
) -> Iterator[tuple[str, dict[str, str | int]]]:
    """The downstream measures: models that read the vectors."""
    count = 0
    if concept.name in _NLI:
        name, score = _NLI[concept.name]
        probe: dict[str, str | int] = {"probe": "nli", "set": name, "measure": score}
        probe["contexts"] = _CONTEXTS
        if retrain:
            notes.append("An inference model was retrained on every set of vectors.")
            probe["retrain"] = retrain
        if retrain or reads(vectors):
            count += 1
            yield "inference", probe
            if not retrain:
                notes.append(
                    "The inference model is the one in the package, which was trained on these "
                    "vectors before debiasing and is not trained again; retraining on SNLI "
                    "(retrain) trains one "
                    "for each method."
                )
    if concept.name in _EEC:
        count += 1
        yield "sentiment", {"probe": "eec", "measure": _EEC[concept.name]}
        notes.append("The sentiment classifier is retrained on every set of vectors.")
    if not count:
        notes.append(
            "No downstream measure was taken: the inference model in the package was trained on "
            "other vectors, and no probe asks about this concept. Retraining on SNLI "
            "(retrain) trains one for "
            "each method, for gender, nationality and religion."
        )


def reads(vectors: WordVectors) -> bool:
    """Whether these are the vectors that the inference model in the package was trained on.

    Another set of 100 dimensions could be read too, but would mean nothing to the model.
    """
    if vectors.dim != builtin_nli().shape.dim:
        return False
    known = load()
    words = [word for word in known.head(_COMPARED).words if word in vectors]
    if len(words) < _COMPARED // 2:
        return False
    expected, actual = known.rows(words).astype(float), vectors.rows(words).astype(float)
    lengths = np.linalg.norm(expected, axis=1) * np.linalg.norm(actual, axis=1)
    cosines = np.einsum("ij,ij->i", expected, actual) / np.where(lengths > 0, lengths, 1.0)
    return bool(cosines.mean() >= _ALIKE)


def _quality(notes: list[str]) -> Iterator[tuple[str, str]]:
    """Benchmarks if they are installed; otherwise, which neighbours words still have."""
    count = 0
    for kind, name in _BENCHMARKS:
        try:
            benchmark_file(kind, name)
        except UnslantError:
            continue
        count += 1
        yield f"{kind} {name}", str(Call(kind, kwargs=(("dataset", name),)))
    if not count:
        notes.append(
            "No benchmark is installed, so quality is the share of nearest neighbours that words "
            "keep, which also counts changes for the better. Install them with: "
            "unslant files fetch all"
        )
        yield "neighbours kept", "neighbours-kept"
