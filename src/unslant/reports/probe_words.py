"""The sentences and short names of a probe's report."""

from collections.abc import Iterator

from unslant.reports.words import Record

_NAMES = {
    "nli-net-neutral": "NN",
    "nli-fraction-neutral": "FN",
    "nli-fairness": "η",
    "marked-error": "E",
    "marked-distance": "d",
}
_STARTS = {"nli-threshold-": "T:{}", "marked-error-": "E, {}", "marked-distance-": "d, {}"}
_VERBS = ("entail", "contradict")


def short_name(metric: str) -> str:
    """What a measure is called in the papers' tables.

    >>> short_name("nli-threshold-0.7"), short_name("marked-error-nouns")
    ('T:0.7', 'E, nouns')
    >>> short_name("retention-entail-threshold-0.5")
    'T:0.5 entail'
    """
    if metric in _NAMES:
        return _NAMES[metric]
    for start, shape in _STARTS.items():
        if metric.startswith(start):
            return shape.format(metric.removeprefix(start))
    for verb in _VERBS:
        if metric.startswith(f"retention-{verb}-"):
            what = metric.removeprefix(f"retention-{verb}-")
            return f"{what.replace('threshold-', 'T:')} {verb}"
    return metric


def head(record: Record) -> Iterator[str]:
    """What was asked of what, in plain sentences."""
    pairs, model, debiasing = record["set"], record["models"][0], record["debiasing"]
    sizes = f"{pairs['premises']} × {pairs['hypotheses']} × {pairs['contexts']:,}"
    if pairs["pairs"] < pairs["premises"] * pairs["hypotheses"] * pairs["contexts"]:
        sizes += ", without a word with itself"
    by = ""
    if debiasing is not None:
        concept = debiasing["concept"]["name"]
        by = f", debiased by {debiasing['expression']} for the concept {concept}"
    read = f" It read {record['vectors']['name']}{by}." if record["vectors"] else ""
    yield (
        f"{pairs['title']}: {pairs['pairs']:,} pairs ({sizes}) were asked of the model "
        f"{model['model']}{_training(model)}.{read}"
    )
    gone = sum(map(len, pairs["missing"].values()))
    if gone:
        yield (
            f"{gone} {'word' if gone == 1 else 'words'} of the set {'is' if gone == 1 else 'are'} "
            f"not in the vectors and {'was' if gone == 1 else 'were'} left out."
        )
    if debiasing is not None and not record["retrained"]:
        yield (
            "The model was trained before debiasing; to train one on the debiased vectors, as the "
            "papers do, add --retrain FOLDER."
        )


def _training(model: Record) -> str:
    """On which vectors a model was trained and how well it did there, not elsewhere."""
    on = f", trained on {model['trained_on']}" if model["trained_on"] else ""
    accuracy = model["dev_accuracy"]
    if accuracy is None:
        return on
    return f"{on}, where it was right on {100 * accuracy:.1f} % of its dev set"
