"""Records are JSON in the strict sense: Python without NaN and another language read the same."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.tallies import Tally
from unslant.core.record import Record

KINDS = ("audited", "compared", "probed", "studied")


def refused(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_is_strict_json_in_python_and_in_node(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, tally: Tally
) -> None:
    record: Record = request.getfixturevalue(kind)
    text = json.dumps(record.to_dict(), ensure_ascii=False, allow_nan=False)
    plain = json.loads(text, parse_constant=refused)
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    path = tmp_path / "record.json"
    path.write_text(text, encoding="utf-8")
    code = "const r = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));"
    code += "process.stdout.write(JSON.stringify(r));"
    done = subprocess.run([node, "-e", code, path], capture_output=True, check=True)
    assert json.loads(done.stdout) == plain
    tally(2)
