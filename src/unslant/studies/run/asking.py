"""The measures of a probe in a study: each set is asked of each space once."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from unslant.concepts import WordPolicy
from unslant.core.errors import UnknownNameError
from unslant.core.folders import cache_folder
from unslant.core.measurement import Measurement
from unslant.datasets.nli import Splits, read_corpus
from unslant.models.nli.retrain import trained_for
from unslant.models.nli.settings import Training
from unslant.models.nli.trained import TrainedNli, builtin_nli, load_nli
from unslant.probes.nli import Answers, PairSet, ask, measured, measures_for, pair_set
from unslant.studies.plan.cells import Measure
from unslant.studies.probe_words import pairs_with_vectors
from unslant.vectors import WordVectors

Options = Mapping[str, str | int]


def asked(wanted: Measure, vectors: WordVectors, policy: WordPolicy, seed: int) -> Measurement:
    """One measure of the answers to a set."""
    answers = _answers(vectors, policy, tuple(sorted(wanted.options.items())), seed)
    known = {item.name: item for item in measures_for(answers.set)}
    if wanted.expression not in known:
        raise UnknownNameError(f'measure of the set "{answers.set.name}"', wanted.expression, known)
    [found] = measured([known[wanted.expression]], answers, seed=seed)
    return found


@lru_cache(maxsize=1)  # for the other measures of the same set, which come next
def _answers(
    vectors: WordVectors,
    policy: WordPolicy,
    given: tuple[tuple[str, str | int], ...],
    seed: int,
) -> Answers:
    options = dict(given)
    pairs = pairs_with_vectors(_pairs(options), vectors, policy)
    model = _model(options, vectors, seed)
    found = ask(pairs, model.on(vectors))
    # The file of a model trained here has its times in it; its name stands for what made it.
    known = {"model": model.name} if "retrain" in options else {"model_sha256": model.sha256}
    inputs = {"vectors_sha256": vectors.content_hash, **known}
    return Answers(found.set, found.probabilities, inputs)


def _pairs(options: Options) -> PairSet:
    contexts = options.get("contexts")
    return pair_set(
        str(options["set"]),
        determiner=_text(options, "determiner"),
        pairing=_text(options, "pairing"),
        contexts=int(contexts) if contexts is not None else None,
    )


def _model(options: Options, vectors: WordVectors, seed: int) -> TrainedNli:
    if folder := _text(options, "retrain"):
        how = Training(seed=seed)
        return trained_for(vectors, _splits(folder), how, cache_folder() / "nli")
    path = _text(options, "model")
    return load_nli(path) if path else builtin_nli()


@lru_cache(maxsize=1)
def _splits(folder: str) -> Splits:
    return read_corpus(Path(folder))


def _text(options: Options, name: str) -> str | None:
    value = options.get(name)
    return str(value) if value is not None else None
