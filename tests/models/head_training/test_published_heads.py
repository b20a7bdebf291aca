"""The heads that are published for MiniLM: the file is whole, and the model knows some language."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tests.language_models import real_model
from unslant.models.head_training.heads import load_heads, write_with_heads
from unslant.models.language.model import TransformerModel, load_transformer
from unslant.predictors.protocols import Likelihood, NextSentence

FILE = Path(__file__).parents[3] / "experiments" / "results" / "minilm-heads.safetensors"


def test_minilm_with_its_published_heads_answers_better_than_chance(tmp_path: Path) -> None:
    encoder = real_model("minilm")
    assert isinstance(encoder, TransformerModel)
    model = load_transformer(write_with_heads(encoder, load_heads(FILE), tmp_path / "model"))
    # Which output means "next" is decided by 64 pairs; a head that knows nothing is refused.
    following = model.predictor(NextSentence)
    assert following.facts["next-sentence-check-ranked-right"] >= 0.65
    likely = model.predictor(Likelihood)
    pairs = [
        ("She put on her [[coat]] and went out.", "She put on her [[river]] and went out."),
        ("He opened the [[door]] and came in.", "He opened the [[moon]] and came in."),
        ("They sat [[down]] to dinner.", "They sat [[green]] to dinner."),
        ("I do not [[know]] what to say.", "I do not [[table]] what to say."),
        ("It was a cold winter [[night]].", "It was a cold winter [[elbow]]."),
    ]
    logs = np.array([likely.log_likelihoods(pair) for pair in pairs])
    assert (logs[:, 0] > logs[:, 1]).all()
