"""Parameters of metrics and estimators that are out of their limits are refused by name."""

import pytest

from unslant.core.errors import ExpressionError
from unslant.measures.registry import measure_from
from unslant.subspaces.estimator import estimator_from

METRICS = {
    "at least 0": [
        "analogy(restrict=-1)", "similarity(restrict=-1)", "weat(random_lists=-1)", "same(seed=-1)",
    ],
    "at least 1": [
        "bias-by-neighbours(n=0)", "biased-analogies(candidates=0)", "clustering(vocabulary=0)",
        "eqt(candidates=0)", "generalised-weat(resamples=0)", "gipe(n=0)", "midb(k=0)",
        "proximity-bias(n=0)", "rnsb(repeats=0)", "sc-weat(resamples=0)",
        "single-attribute-weat(resamples=0)", "weat(resamples=0)",
    ],
    "at least 2": ["mdl(first=1)"],
    "at least 100": ["clustering(n=99)", "mdl(n=99)", "recoverability(n=99)"],
    "greater than 0": ["direct-bias(c=0)", "mdl(c=0)", "recoverability(c=0)"],
    "between 1 and 1000": ["biased-analogies(top=0)", "biased-analogies(top=1001)"],
    "between 0 and 2": ["biased-analogies(delta=-0.1)", "biased-analogies(delta=2.1)"],
    "between 0 and 1": ["indirect-bias(near=1.5)", "indirect-bias(near=-0.1)"],
    "strictly between 0 and 1": ["recoverability(train=1.0)", "recoverability(train=0)"],
    "one of 0, 1": ["gipe(no_incoming=2)", "sc-weat(ddof=2)", "weat(ddof=-1)"],
    "one of 3cosadd, 3cosmul": ["analogy(method=cosadd)"],
    "one of baseline, refitted": ["direct-bias(of=now)"],
    "one of drop, zero": ["similarity(on_missing=skip)"],
    "one of euclidean, cosine": ["rnd(distance=manhattan)"],
    "one of ignore, exact": ["analogy(case=lower)", "similarity(case=lower)"],
    "one of logistic, linear-svm, rbf-svm, network": ["recoverability(tree)"],
    "one of two-sided, greater, less": [
        "weat(alternative=both)", "single-attribute-weat(alternative=both)",
    ],
}  # fmt: skip
ESTIMATORS = {
    "at least 0": ["random(seed=-1)"],
    "at least 1": ["names(k=0)", "pair-pca(k=0)", "set-pca(all, k=0)", "random(k=0)"],
    "greater than 0": ["classifier-normal(c=0)"],
}


@pytest.mark.parametrize(
    ("expression", "limits"), [(each, key) for key, some in METRICS.items() for each in some]
)
def test_metrics(expression: str, limits: str) -> None:
    with pytest.raises(ExpressionError, match=rf'The "\w+" parameter of .* must be {limits}\. Got'):
        measure_from(expression)


@pytest.mark.parametrize(
    ("expression", "limits"), [(each, key) for key, some in ESTIMATORS.items() for each in some]
)
def test_estimators(expression: str, limits: str) -> None:
    with pytest.raises(ExpressionError, match=rf'The "\w+" parameter of .* must be {limits}\. Got'):
        estimator_from(expression)
