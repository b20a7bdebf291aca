"""What an intervention did to a model: measures, quality guard and card."""

from dataclasses import replace

import pytest

from tests.real_models import real_model
from unslant.concepts import concept
from unslant.models.language import load_model
from unslant.studies.model_card import card_section
from unslant.studies.model_debiasing import jobs_for_model, model_debiasing
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
    assert "a \\| b \\<script\\>" in text
