"""Options that are not what they should be, or that the weights contradict."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.models.elmo.asking import refusal
from tests.models.elmo.made_elmo import OPTIONS
from unslant.core.errors import UnslantError
from unslant.models.elmo import load_elmo

Change = Callable[[dict[str, Any]], None]


def _set(table: str, key: str, value: Any) -> Change:
    return lambda options: options[table].update({key: value})


HUGE = 10**17
WRONG: dict[str, tuple[Change, str]] = {
    "no lstm": (lambda options: options.pop("lstm"), '"lstm"'),
    "lstm is a list": (lambda options: options.update(lstm=[]), '"lstm"'),
    "no width": (lambda options: options["lstm"].pop("projection_dim"), "projection_dim"),
    "width 0": (_set("lstm", "projection_dim", 0), "from 1 to"),
    "width true": (_set("lstm", "projection_dim", True), "Got True"),
    "width 6.0": (_set("lstm", "projection_dim", 6.0), "Got 6.0"),
    "huge width": (_set("lstm", "projection_dim", HUGE), "from 1 to"),
    "large width": (_set("lstm", "projection_dim", 60_000), "bytes of weights"),
    "large memory": (_set("lstm", "dim", 60_000), "bytes of weights"),
    "wrong memory": (_set("lstm", "dim", 10), "shape"),
    "one layer": (_set("lstm", "n_layers", 1), "Cell1, which options.json does not ask for"),
    "three layers": (_set("lstm", "n_layers", 3), "no array"),
    "million layers": (_set("lstm", "n_layers", 10**6), "from 1 to 64"),
    "negative clip": (_set("lstm", "cell_clip", -3), "above 0"),
    "clip as text": (_set("lstm", "proj_clip", "3"), "above 0"),
    "skip as text": (_set("lstm", "use_skip_connections", "no"), "true or false"),
    "261 characters": (_set("char_cnn", "n_characters", 261), "must be 262"),
    "tiny words": (_set("char_cnn", "max_characters_per_token", 2), "from 3 to"),
    "other activation": (_set("char_cnn", "activation", "exec"), '"relu" or "tanh"'),
    "one highway": (_set("char_cnn", "n_highway", 1), "CNN_high_1, which"),
    "no filters": (_set("char_cnn", "filters", []), '"filters"'),
    "filters as text": (_set("char_cnn", "filters", "[1, 3]"), '"filters"'),
    "filter wider than words": (_set("char_cnn", "filters", [[13, 3]]), "at most 12"),
    "two filters": (_set("char_cnn", "filters", [[1, 3], [2, 5]]), "shape|asks for"),
    "10,000 filters": (_set("char_cnn", "filters", [[1, 1]] * 10_000), "1 to 64 pairs"),
    "no embedding": (lambda options: options["char_cnn"].pop("embedding"), '"embedding"'),
}


@pytest.mark.parametrize("kind", WRONG)
def test_options_that_the_weights_contradict_are_refused(
    kind: str, made_folder: Path, tmp_path: Path
) -> None:
    change, says = WRONG[kind]
    options = copy.deepcopy(dict(OPTIONS))
    change(options)
    (tmp_path / "options.json").write_text(json.dumps(options), encoding="utf-8")
    (tmp_path / "weights.hdf5").write_bytes((made_folder / "weights.hdf5").read_bytes())
    with pytest.raises(UnslantError, match=says):
        load_elmo(tmp_path)
    refusal(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "[" * 100_000,
        '{"lstm": ' * 50_000,
        '{"lstm": {"cell_clip": NaN}}',
        '{"lstm": {"dim": 1e999}}',
        '{"lstm": {"dim": ' + "9" * 5_000 + "}}",
        " " * (2 << 20),
        "\x00\xff",
    ],
    ids=range(10),
)
def test_options_that_are_not_bounded_json_are_refused(
    text: str, made_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "options.json").write_text(text, encoding="latin-1")
    (tmp_path / "weights.hdf5").write_bytes((made_folder / "weights.hdf5").read_bytes())
    refusal(tmp_path)
