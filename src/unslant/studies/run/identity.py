"""Everything a cell's number depends on, and the id derived from it.

The id is made from content alone: the bytes of files, the words of lists, expressions, seed and
version. Labels, paths and the order of a plan do not enter, so a file that was moved keeps its
cells, and a file that was changed loses them.
"""

import hashlib
import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, TypeVar

from unslant.concepts import bundled_concepts, concept
from unslant.concepts.contexts import (
    BLEACHED,
    BUNDLED,
    Contexts,
    any_contexts_from,
    corpus_of_types,
)
from unslant.core.errors import OutputError, UnslantError
from unslant.core.expression import Chain, parse_call, parse_chain
from unslant.core.files import Fingerprint, Progress, cache_folder, sha256_of_file
from unslant.core.version import __version__
from unslant.datasets.registry import datasets
from unslant.measures.registry import measure_from
from unslant.models.language.folder import is_model_folder
from unslant.models.language.model import load_model
from unslant.probes.abilities import AsksSet, ReadsVectors, Retrains
from unslant.studies.plan.cells import Cell, PlanError, PlannedMeasure, PlannedResource
from unslant.studies.plan.expressions import dataset_of, text_of, with_dataset, with_text
from unslant.studies.predictor_lookup import model_facts
from unslant.studies.run.model_spaces import touched
from unslant.studies.run.probe_scores import is_answered_by_model
from unslant.studies.tunings import is_tuning
from unslant.vectors.cache import Cache
from unslant.vectors.load import BUILTIN

_DIGITS = 16
T = TypeVar("T")


class FileHashes:
    """Hashes of files, cached while the files are unchanged."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = progress
        self._known: dict[Hashable, object] = {}

    def sha256(self, path: str | Path) -> str:
        """The hash of a file's bytes."""
        path = Path(path)
        return self._once(("bytes", path, _seen(path)), lambda: self._hashed(path))

    def of_resource(self, resource: PlannedResource) -> str:
        """The hash of vectors or a model; a file that is not here must have it in the plan."""
        if resource.path == BUILTIN:
            return self._once(BUILTIN, _of_builtin_vectors)
        # Not downloaded just for its hash: the plan pins it, and the worker that needs the file
        # fetches and checks it.
        if resource.url and not (resource.path and Path(resource.path).is_file()):
            return resource.sha256
        is_model = resource.kind == "model"
        actual = self.of_model(resource.path) if is_model else self.sha256(resource.path)
        if resource.sha256 and actual != resource.sha256:
            what = "model" if is_model else "file"
            raise PlanError(
                f'{resource.path} is not the {what} that the plan means by "{resource.label}": it '
                f"has the SHA-256 {actual[:16]}…, not {resource.sha256[:16]}…."
            )
        return actual

    def of_model(self, path: str) -> str:
        """The hash of a model's weights, of what says how they are used, and of interventions."""
        return self._once(("model", path, touched(path)), lambda: load_model(path).content_hash)

    def of_place(self, resource: PlannedResource) -> dict[str, Any]:
        """The place where a model is measured, and the hash of its contexts."""
        if resource.kind != "model":
            return {}
        key = ("place", resource.path, touched(resource.path))
        default = self._once(key, lambda: str(load_model(resource.path).default_place))
        place = resource.place or default
        contexts = self.of_contexts(resource.contexts or BLEACHED)
        return {"place": place, "contexts": "" if place == "wordpieces" else contexts}

    def of_contexts(self, given: Contexts | str) -> str:
        """The hash of the sentences that words are put into, or of a corpus."""
        if isinstance(given, Contexts) or given in BUNDLED:
            return any_contexts_from(given).content_hash
        path = Path(corpus_of_types(given) or given)
        key = ("contexts", given, _seen(path))
        return self._once(key, lambda: any_contexts_from(given).content_hash)

    def of_fitting(self, cell: Cell) -> dict[str, Any]:
        """The hash of the contexts that a plan has methods fitted in, if it names them."""
        contexts = cell.resource.fit_contexts
        return {"fit_contexts": self.of_contexts(contexts)} if contexts and cell.method else {}

    def of_concept(self, name_or_path: str) -> str:
        """The hash of a concept's words and tests."""
        bundled = self._once("concepts", lambda: frozenset(bundled_concepts()))
        seen = None if name_or_path in bundled else _seen(Path(name_or_path))
        return self._once(
            ("concept", name_or_path, seen), lambda: concept(name_or_path).content_hash
        )

    def of_probe(self, expression: str) -> dict[str, Any]:
        """The hash of the set that a probe asks, and its parameters.

        A file that a parameter names is not among them: the hash of the set has what is in it.
        """
        parameters = dict(parse_call(expression).kwargs)
        own = {name: value for name, value in parameters.items() if is_own_file(value)}
        seen = tuple(_seen(Path(str(path))) for path in own.values())
        set_hash = self._once(("set", expression, seen), lambda: _set_hash(expression))
        return {"set": set_hash, "parameters": {**parameters, **dict.fromkeys(own, "own")}}

    def of_answering(self, expression: str, model: str, retrain: str) -> Any:
        """The identity of a probe's predictor: the hash of a model, or of its training data."""
        if model and is_model_folder(model):
            return self._once(("folder", model), lambda: load_model(model).content_hash)
        if model:
            return self.sha256(model)
        measure = measure_from(expression)
        if retrain and isinstance(measure, Retrains):
            files = measure.training_files(Path(retrain))
            hashes = {kind: [self.sha256(path) for path in paths] for kind, paths in files.items()}
            return {"retrained-on": hashes}
        name = parse_call(expression).name
        return self._once(("model", name), lambda: _model_hash(measure))

    def of_method(self, method: str) -> str:
        """The chain of methods, with the texts of those that train by their hashes."""
        if not method:
            return ""
        chain = parse_chain(method)
        steps = [
            replace(step, call=with_text(step.call, f"sha256:{self.sha256(text_of(step.call))}"))
            if is_tuning(step)
            else step
            for step in chain
        ]
        return str(Chain(tuple(steps)))

    def of_benchmark(self, expression: str) -> tuple[str, str]:
        """A metric without the path of its benchmark, and the benchmark's hash, if it has one."""
        name = self._once(("benchmark", expression), lambda: dataset_of(expression) or "")
        if not name:
            return expression, ""
        pinned = datasets().get(f"{parse_call(expression).name}/{name}")
        if pinned is not None:
            return expression, pinned.sha256
        hashes = [self.sha256(name)]
        if name.endswith(".questions"):  # its answers are in a file next to it
            hashes.append(self.sha256(Path(name).with_suffix(".answers")))
        return with_dataset(expression, "own"), " ".join(hashes)

    def _once(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]  # type: ignore[return-value]

    def _hashed(self, path: Path) -> str:
        try:
            # The hash that loading the vectors remembers between runs, or will find there.
            return Cache(cache_folder()).sha256(path, self.progress)
        except (OSError, OutputError):  # a cache that cannot be written only costs time
            pass
        try:
            return sha256_of_file(path, self.progress)
        except OSError as error:
            raise _unreadable(path, error) from error


def is_own_file(value: object) -> bool:
    """Whether a parameter is a file of the user's own, whose path a plan makes absolute."""
    return isinstance(value, str) and Path(value).is_absolute()


def _set_hash(expression: str) -> str:
    measure = measure_from(expression)
    return str(measure.questions().content_hash) if isinstance(measure, AsksSet) else ""


def _model_hash(made: object) -> str:
    """The hash of the model in the package, or its name: then the version says the rest."""
    if isinstance(made, ReadsVectors):
        facts = model_facts(made.reader())
        return facts.sha256 or facts.name
    return ""


def _seen(path: Path) -> Fingerprint:
    try:
        if path.is_dir():
            raise UnslantError(f"{path} is a folder; a file was expected.")
        fingerprint = Fingerprint.of(path)
        if not path.is_file():  # a pipe or a device, which may have no end
            raise UnslantError(f"{path} is a pipe or a device; a file was expected.")
        return fingerprint
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> UnslantError:
    return UnslantError(f"{path} cannot be read: {error.strerror}.")


def _of_builtin_vectors() -> str:
    with as_file(files("unslant.vectors") / "data" / "glove.6B.100d.slice.safetensors") as path:
        return sha256_of_file(path)


def inputs_of(cell: Cell, hashes: FileHashes) -> dict[str, Any]:
    """Everything that the number of a cell depends on, as plain JSON values."""
    return {
        "resource": {
            "sha256": hashes.of_resource(cell.resource),
            "limit": cell.resource.limit,
            **({} if is_answered_by_model(cell) else hashes.of_place(cell.resource)),
            **hashes.of_fitting(cell),
        },
        "method": hashes.of_method(cell.method),
        "concept": hashes.of_concept(cell.concept),
        "policy": {"missing": cell.missing, "case": cell.case},
        "measure": _of_probe(cell.measure, hashes)
        if cell.measure.is_probe
        else _of_metric(cell.measure, hashes),
        "seed": cell.seed,
        "version": __version__,
    }


def cell_id(inputs: Mapping[str, Any]) -> str:
    """The id of a cell: equal for equal inputs, independent of their order.

    >>> cell_id({"seed": 0, "method": "hard"}) == cell_id({"method": "hard", "seed": 0})
    True
    """
    text = json.dumps(
        inputs, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    # 64 bits: two of a million cells share an id with probability 3e-8, and the names of files stay
    # short.
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _of_metric(measure: PlannedMeasure, hashes: FileHashes) -> dict[str, Any]:
    expression, benchmark = hashes.of_benchmark(measure.expression)
    return {
        "expression": expression,
        "benchmark": benchmark,
        "test": measure.test,
        "detail": measure.detail,
    }


def _of_probe(measure: PlannedMeasure, hashes: FileHashes) -> dict[str, Any]:
    return {
        "probe": parse_call(measure.expression).name,
        "expression": measure.score,
        **hashes.of_probe(measure.expression),
        "model": hashes.of_answering(measure.expression, measure.model, measure.retrain),
        "detail": measure.detail,
    }
