"""Which objects are taken for models."""

from pathlib import Path

import pytest

from unslant.core.errors import UnslantError
from unslant.predictors.coreference import Coreference
from unslant.predictors.protocols import accepted, has_method


def test_a_path_is_no_coreference_model_though_it_can_be_resolved(tmp_path: Path) -> None:
    assert not has_method(tmp_path, Coreference)
    with pytest.raises(UnslantError, match="resolve"):
        accepted(tmp_path, Coreference)
