"""``unslant train nli``: what is refused before anything is read, and what is said of the rest."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unslant.cli.verbs import app
from unslant.core.errors import UnslantError
from unslant.models.nli.trained import load_nli

pytest.importorskip("torch", reason="training needs torch")

PAIRS = [
    {"gold_label": label, "sentence1": f"A man {verb} .", "sentence2": f"A {who} {verb} ."}
    for verb in ("eats", "sleeps", "runs", "walks", "reads", "sings", "waits", "works")
    for who, label in (("person", "entailment"), ("woman", "contradiction"), ("nurse", "neutral"))
]
SMALL = ("--hidden", "4", "--epochs", "1", "--batch", "8")
NOTHING = ("train", "nli", "--data", "none", "none.txt", "-o")
"""Neither data nor vectors are there, so whatever is refused is refused before they are read."""


def run(*arguments: str) -> None:
    """The command in this process: one of its own spends seconds on its imports."""
    app(arguments, standalone_mode=False)


def refused(*arguments: str) -> str:
    with pytest.raises(UnslantError) as caught:
        run(*arguments)
    return str(caught.value)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nli").mkdir()
    for part, rows in (("train", PAIRS), ("dev", PAIRS[:6])):
        marked = [{**row, "sentence1": row["sentence1"] + " ." * (part == "dev")} for row in rows]
        text = "".join(json.dumps(row) + "\n" for row in marked)
        (tmp_path / "nli" / f"{part}.jsonl").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--seed", "-1"), "The seed must be an integer of at least 0. Got -1 instead."),
        (("--threads", "100000"), "the processors of this machine, not 100000."),
        (("--encoder", "lstm"), 'No encoder is called "lstm". Did you mean "bilstm"?'),
        (("--hidden", "7"), "The hidden size must be an even number of at least 2, not 7."),
    ],
)
def test_settings_are_checked_before_anything_is_read(
    options: tuple[str, ...], reason: str
) -> None:
    assert reason in refused(*NOTHING, "m.safetensors", *options)


@pytest.mark.parametrize("there", ["m.safetensors", "m.json"])
def test_neither_a_model_nor_its_record_is_replaced_unasked(there: str, folder: Path) -> None:
    (folder / there).write_text("mine")
    message = f"{there} exists. Choose another name, or add --overwrite."
    assert refused(*NOTHING, "m.safetensors") == message
    assert (folder / there).read_text() == "mine"
    train = ("train", "nli", "--data", "nli", "-o", "m.safetensors", *SMALL, "--overwrite")
    run(*train)
    facts = json.loads((folder / "m.json").read_text())
    assert facts["record"] == load_nli(folder / "m.safetensors").record


def test_an_output_that_cannot_be_written_is_named_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").mkdir()
    (tmp_path / "file").write_text("")
    for output, reason in (
        ("m.safetensors", "m.safetensors is a folder."),
        ("none/m.safetensors", "none/m.safetensors is in a folder that does not exist."),
        ("file/m.safetensors", "file/m.safetensors is in a folder that does not exist."),
        (f"{'x' * 300}.safetensors", "x.safetensors: File name too long."),
        ("/proc/m.safetensors", "Cannot write /proc/m.safetensors: "),
    ):
        if output.startswith("/proc") and not Path("/proc/self").exists():
            continue  # it stands for a folder that even root cannot write to
        message = refused(*NOTHING, output, "--overwrite")
        assert reason in message
        assert "checkpoint" not in message


def test_skipped_lines_are_counted_on_standard_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train = ("train", "nli", "--data", "nli", "-o", "m.safetensors", *SMALL, "--skip-bad")
    run(*train)
    assert "malformed" not in capsys.readouterr().err
    with (folder / "nli" / "train.jsonl").open("a") as stream:
        stream.write("{broken\n" * 2)
    with (folder / "nli" / "dev.jsonl").open("a") as stream:
        stream.write("{broken\n")
    run(*train, "--overwrite")
    printed = capsys.readouterr()
    assert "Note: 3 malformed lines were skipped" in printed.err
    assert "malformed" not in printed.out


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_says_what_is_kept_and_the_same_command_goes_on(
    stop: signal.Signals, folder: Path
) -> None:
    many = ("--hidden", "4", "--epochs", "100000", "--patience", "100000", "--batch", "1")
    train = ("train", "nli", "--data", "nli", "-o", "m.safetensors", *many)
    command = [sys.executable, "-c", "from unslant.cli.app import main; main()", *train]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 60
        while not (folder / "m.checkpoint").exists():
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.02)
        process.send_signal(stop)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + stop
    assert (
        "What was learnt so far is kept in m.checkpoint; the same command goes on from there."
        in said
    )
    assert "Traceback" not in said
    assert (folder / "m.checkpoint").exists()
    assert not (folder / "m.safetensors").exists()
