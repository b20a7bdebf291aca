import json

import pytest

from unslant.core.errors import UnslantError
from unslant.core.measurement import Interval, Measurement, PValue, WordUse

FULL = Measurement(
    metric="weat",
    value=1.5,
    better="closer to 0",
    title="A <b>test</b>",
    p=PValue(value=0.01, how="exact", alternative="two-sided", outcomes=100),
    interval=Interval(low=1.0, high=1.9, level=0.95, how="bca"),
    details={"spread": 0.5, "who": "x"},
    words=(WordUse(set="x", used=("a", "b"), spelt=("A", "b"), missing=("c",), set_aside=("d",)),),
    points=({"word": "a", "association": 0.5},),
    parameters={"ddof": 1},
    inputs={"vectors": "v"},
    warnings=("careful",),
    seed=3,
    version="1",
)


def test_a_record_goes_to_json_and_back_without_loss() -> None:
    text = json.dumps(FULL.to_dict(), allow_nan=False)
    assert Measurement.from_dict(json.loads(text)) == FULL


def test_a_value_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="an undefined value needs a reason"):
        Measurement(metric="m", value=float("nan"), better="smaller")


def test_no_value_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="nor a reason for its absence"):
        Measurement(metric="m", value=None, better="smaller")
    assert Measurement(metric="m", value=None, better="smaller", why_undefined="she = he")


@pytest.mark.parametrize("value", [0.0, -0.1, 1.1])
def test_a_p_value_is_never_0(value: float) -> None:
    with pytest.raises(ValueError, match="must be in"):
        PValue(value=value, how="exact", alternative="less", outcomes=3)


def test_only_a_sampled_smallest_p_is_a_floor() -> None:
    def p(value: float, how: str) -> PValue:
        return PValue(value=value, how=how, alternative="less", outcomes=100)

    assert p(0.01, "monte carlo").is_floor
    assert not p(0.02, "monte carlo").is_floor
    assert not p(0.01, "exact").is_floor


def test_the_share_of_missing_words_counts_all_that_were_asked() -> None:
    assert FULL.words[0].share_missing == 0.25


def test_something_else_is_not_a_record() -> None:
    with pytest.raises(UnslantError, match="is missing"):
        Measurement.from_dict({"metric": "m"})
