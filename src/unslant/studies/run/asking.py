"""The measures of a probe in a study: each set is asked of each space once."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from unslant.concepts import WordPolicy
from unslant.core.errors import UnknownNameError
from unslant.core.expression import Call
from unslant.core.folders import cache_folder
from unslant.core.measurement import Measurement
from unslant.datasets.nli import Splits, read_corpus
from unslant.measures.findings import Findings
from unslant.measures.running import run
from unslant.measures.setting import Setting
from unslant.models.nli.retrain import trained_for
from unslant.models.nli.settings import Training
from unslant.models.nli.trained import TrainedNli, builtin_nli, load_nli
from unslant.probes.nli import PairSet, pair_set, pairs_with_vectors
from unslant.studies.plan.cells import Measure
from unslant.vectors import WordVectors

Options = Mapping[str, str | int]
_OF_THE_SET = ("set", "contexts", "determiner", "pairing")


def asked(wanted: Measure, vectors: WordVectors, policy: WordPolicy, seed: int) -> Measurement:
    """One measure of the answers to a set."""
    found = _findings(vectors, policy, tuple(sorted(wanted.options.items())), seed)
    known = {item.metric: item for item in found.measurements}
    if wanted.expression not in known:
        name = str(wanted.options["set"])
        raise UnknownNameError(f'measure of the set "{name}"', wanted.expression, known)
    return known[wanted.expression]


@lru_cache(maxsize=1)  # for the other measures of the same set, which come next
def _findings(
    vectors: WordVectors,
    policy: WordPolicy,
    given: tuple[tuple[str, str | int], ...],
    seed: int,
) -> Findings:
    options = dict(given)
    pairs = pairs_with_vectors(_pairs(options), vectors, policy)
    model = _model(options, vectors, seed)
    # The file of a model trained here has its times in it; its name stands for what made it.
    known = {"model": model.name} if "retrain" in options else {"model_sha256": model.sha256}
    call = Call(
        "nli",
        kwargs=(*((key, options[key]) for key in _OF_THE_SET if key in options), ("seed", seed)),
    )
    return run(
        call,
        model.on(vectors),
        pairs,
        Setting(policy=policy),
        parameters={"subject": pairs.name},
        inputs={
            "vectors_sha256": vectors.content_hash,
            **known,
            "set": pairs.name,
            "set_sha256": pairs.content_hash,
        },
    )


def _pairs(options: Options) -> PairSet:
    """The pairs, the same for every seed."""
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
