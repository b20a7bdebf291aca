"""What the tests of language models are installed with: pinned once, quiet when imported."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.only_new_pins import only_new

ROOT = Path(__file__).parents[2]
IMPORTS = """
import h5py, tokenizers, transformers, sentence_transformers
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer
from transformers.models.deberta_v2 import modeling_deberta_v2

def test_nothing() -> None:
    pass
"""


def test_importing_the_libraries_does_not_warn_under_the_settings_of_the_tests(
    tmp_path: Path,
) -> None:
    for name in ("torch", "transformers", "sentence_transformers", "h5py"):
        pytest.importorskip(name)
    (tmp_path / "test_imports.py").write_text(IMPORTS)
    settings = ["-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider", "-q"]
    command = [sys.executable, "-m", "pytest", *settings, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


def test_only_deberta_needs_the_exception_to_warnings_as_errors() -> None:
    pytest.importorskip("sentence_transformers")
    imports = IMPORTS[: IMPORTS.index("from transformers.models.deberta_v2")]
    run = subprocess.run([sys.executable, "-W", "error", "-c", imports], capture_output=True)
    assert run.returncode == 0, run.stderr.decode()


def test_the_libraries_are_pinned_once_with_hashes_and_without_torch() -> None:
    def pins(name: str) -> set[str]:
        text = (ROOT / "requirements" / f"{name}.txt").read_text()
        return set(re.findall(r"^([\w.-]+)==", text, re.MULTILINE))

    ours = pins("lm")
    assert {"transformers", "tokenizers", "huggingface-hub", "h5py"} <= ours
    assert not ours & (pins("dev") | pins("torch") | pins("torch-cuda"))
    assert not [name for name in ours if name.startswith(("torch", "nvidia", "cuda", "triton"))]
    text = (ROOT / "requirements" / "lm.txt").read_text()
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)


def test_pins_that_an_earlier_file_has_are_dropped_with_all_their_lines() -> None:
    text = (
        "# head\n"
        "A-b==1 \\\n    --hash=sha256:11\n    # via c\n"
        "c==2 \\\n    --hash=sha256:22 \\\n    --hash=sha256:33\n    # via\n    #   d\n"
        "\n# WARNING: The following packages were not pinned, but\n# torch\n"
    )
    assert only_new(text, {"a-b"}) == (
        "# head\nc==2 \\\n    --hash=sha256:22 \\\n    --hash=sha256:33\n    # via\n    #   d\n"
    )
    assert only_new(text, {"c"}) == "# head\nA-b==1 \\\n    --hash=sha256:11\n    # via c\n"
