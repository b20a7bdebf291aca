"""The scores that StereoSet's authors print, from the predictions that they publish."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.language_models import data_folder
from unslant.core.errors import UnslantError
from unslant.core.measurement import Measurement
from unslant.datasets.stereoset import TASKS, read_predictions, read_stereoset
from unslant.measures.setting import Setting
from unslant.predictors.answers import AnswersById
from unslant.probes.stereoset.probe import StereoSet
from unslant.probes.stereoset.questions import questions_from

SYSTEMS = {
    "SentimentModel.json": "SentimentModel",
    "bert-large-cased": "bert-large-cased_BertNextSentence_BertLM",
    "gpt2-large": "gpt2-large_ModelNSP_GPT2LM",
    "gpt2-medium": "gpt2-medium_ModelNSP_GPT2LM",
    "roberta-base": "roberta-base_ModelNSP_RoBERTaLM",
    "xlnet-base-cased": "xlnet-base-cased_ModelNSP_XLNetLM",
    "xlnet-large-cased": "xlnet-large-cased_ModelNSP_XLNetLM",
}
PRINTED = {"ss": "SS Score", "lms": "LM Score", "icat": "ICAT Score"}


def predictions(system: str) -> AnswersById:
    path = data_folder("golden/stereoset") / f"predictions_{SYSTEMS[system]}.json.gz"
    return AnswersById(path, read_predictions(path))


def scores(system: str, **options: object) -> dict[str, Measurement]:
    items = read_stereoset(data_folder("stereoset") / "dev.json")
    probe = StereoSet(resamples=0, **options)  # type: ignore[arg-type]
    asked = questions_from(items, curated=probe.curated)
    findings = probe.run(predictions(system), asked, Setting())
    return {item.metric: item for item in findings.measurements}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_printed_value_of_a_system_comes_out_again(system: str) -> None:
    folder = data_folder("golden/stereoset")
    printed = json.loads((folder / "printed-results.json").read_text())[system]
    found = scores(system, ties="against", curated=False)
    compared = 0
    for kind, column in PRINTED.items():
        expected = {"": printed["overall"][column]}
        for task, key in TASKS.items():
            for domain, row in printed[key].items():
                end = "" if domain == "overall" else f"-{domain}"
                expected[f"-{task}{end}"] = row[column]
        for name, value in expected.items():
            assert found[f"stereoset-{kind}{name}"].value == pytest.approx(value, abs=1e-9), name
            compared += 1
    assert compared == 33


def test_ties_count_half_and_are_counted() -> None:
    published = scores("bert-large-cased", ties="against", curated=False)
    ours = scores("bert-large-cased", curated=False)
    inter = ours["stereoset-ss-inter"]
    assert inter.details["ties"] == 8
    assert published["stereoset-ss-inter"].value == pytest.approx(60.18, abs=0.005)
    assert inter.value == pytest.approx(60.37, abs=0.005)
    assert published["stereoset-icat-inter"].value == pytest.approx(70.02, abs=0.005)
    assert ours["stereoset-icat-inter"].value == pytest.approx(69.69, abs=0.005)


def test_a_domain_counts_each_item_once() -> None:
    printed = json.loads((data_folder("golden/stereoset") / "printed-results.json").read_text())[
        "gpt2"
    ]
    found = scores("gpt2-medium", curated=False)
    for domain in ("gender", "profession", "race", "religion"):
        tripled = printed["intrasentence"][domain]["Count"]
        assert found[f"stereoset-ss-intra-{domain}"].details["items"] == tripled / 3


def test_the_terms_are_averaged_and_not_the_items() -> None:
    items = [
        item
        for item in read_stereoset(data_folder("stereoset") / "dev.json")
        if item.task == "inter"
    ]
    given = read_predictions(predictions("gpt2-medium").path)
    by_term = defaultdict(list)
    for item in items:
        wins = given[item.stereotype.id] > given[item.anti.id]
        by_term[item.target].append(100.0 * wins)
    found = scores("gpt2-medium", curated=False)["stereoset-ss-inter"].value
    assert found == pytest.approx(np.mean([np.mean(some) for some in by_term.values()]), abs=1e-9)
    over_items = np.mean([each for some in by_term.values() for each in some])
    assert abs(over_items - (found or 0)) > 0.1


def test_screened_items_are_left_out_of_the_published_scores_only_if_they_cannot_be_asked() -> None:
    found = scores("gpt2-medium")
    assert found["stereoset-ss-intra"].details["items"] == 2_106 - 4
    assert found["stereoset-ss-inter-gender"].details["items"] == 242
    for name in ("strength", "distance"):
        assert "no scores of gender-swapped" in found[f"stereoset-{name}"].why_undefined


def test_missing_predictions_are_an_error_and_not_a_score_of_the_rest(tmp_path: Path) -> None:
    whole = read_predictions(predictions("gpt2-medium").path)
    path = tmp_path / "some.json"
    some = [{"id": name, "score": score} for name, score in list(whole.items())[:-5]]
    path.write_text(json.dumps({"intersentence": some}))
    items = read_stereoset(data_folder("stereoset") / "dev.json")
    with pytest.raises(UnslantError, match=r"no score for 5 of 12,6\d\d sentences"):
        StereoSet().run(AnswersById(path, read_predictions(path)), questions_from(items), Setting())
