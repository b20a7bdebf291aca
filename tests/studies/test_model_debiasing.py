"""What an intervention did to a model: measures, quality guard and card."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.language_models import data_folder
from tests.real_models import real_model
from tests.studies.language_models import CONCEPT, tiny_bert
from unslant.concepts import concept
from unslant.models.language.model import load_model
from unslant.studies.model_debiasing import card_section, jobs_for_model, model_debiasing
from unslant.studies.verbs import debias

pytest.importorskip("torch")
pytest.importorskip("transformers")


def test_a_decoder_is_also_asked_how_well_it_predicts_held_out_text() -> None:
    gender = concept("gender")
    before = load_model(real_model("smollm2"))
    after = debias("random(seed=0)@layer:-1", before, gender, contexts="plain")
    small = [job for job in jobs_for_model(gender) if job[0].name == "weat"][:1]
    plain = model_debiasing(before, after, gender, jobs=small)
    assert [item.metric for item in plain.measurements] == ["weat"]

    import unslant.studies.model_debiasing as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "jobs_for_model", lambda concept, extent: small)
        done = model_debiasing(before, after, gender)
    found = {result.now.metric: result for result in done.record.results}
    assert {"weat", "perplexity"} <= set(found)
    change = found["perplexity"].change
    assert change is not None
    assert change.interval is not None
    assert "perplexity" in done.record.glossary
    assert "| measure | before | after |" in card_section(done.record)
    hostile = replace(found["weat"], now=replace(found["weat"].now, title="a | b <script>"))
    text = card_section(replace(done.record, results=(hostile,)))
    assert "a \\| b \\<script>" in text


@pytest.mark.parametrize("extent", ["main", "all"])
def test_relatedness_of_sentences_is_measured_if_its_data_are_there_and_named_if_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extent: str
) -> None:
    (tmp_path / "sides.toml").write_text(CONCEPT)
    about = concept(tmp_path / "sides.toml")
    before = load_model(tiny_bert(tmp_path / "bert"))
    after = debias("random(seed=0)@layer:2.value", before, about, contexts="plain")
    jobs = [job for job in jobs_for_model(about, extent) if job[0].name == "relatedness"]
    assert len(jobs) == 1
    monkeypatch.setenv("UNSLANT_CACHE", str(tmp_path / "cache"))
    with monkeypatch.context() as patch:
        patch.setenv("UNSLANT_DATA", str(tmp_path))
        [left] = model_debiasing(before, after, about, jobs=jobs).record.left_out[:1]
        assert "relatedness(dataset=sick-trial)" in left.what
        assert "unslant files fetch" in left.why
    data_folder("nli/sick")
    done = model_debiasing(before, after, about, jobs=jobs)
    assert [result.now.metric for result in done.record.results] == ["relatedness"]
    assert done.record.results[0].change is not None
    assert done.record.conclusion is not None
    assert "Quality was not measured" not in done.record.conclusion.sentence
