"""The documents of a file or of a folder of CoNLL-2012 files."""

from pathlib import Path

from unslant.core.errors import FileFormatError
from unslant.core.files import Progress
from unslant.datasets.coreference.conll2012 import read_file
from unslant.datasets.coreference.document import CorefDocument

_ENDINGS = ("conll", "conll.gz", ".key", ".response")


def read_documents(path: str | Path, progress: Progress | None = None) -> list[CorefDocument]:
    """The documents of a file, or of every CoNLL-2012 file in a folder."""
    path = Path(path)
    if path.is_dir():
        return read_folder(path, progress)
    return _each_once([(path, list(read_file(path, progress)))])


def read_folder(folder: str | Path, progress: Progress | None = None) -> list[CorefDocument]:
    """The documents of every file in a folder and the folders in it, in the order of their paths.

    Files end in conll (also v4_gold_conll and the like), .key or .response. OntoNotes has most
    documents twice, with gold and with automatic syntax; the latter are then left out.
    """
    folder = Path(folder)
    files = coreference_files(folder)
    found = []
    for number, file in enumerate(files):
        if progress:
            progress("reading documents", number, len(files))
        found.append((file, list(read_file(file))))
    return _each_once(found)


def coreference_files(folder: Path) -> list[Path]:
    """The files of a folder that ``read_folder`` reads."""
    if not folder.is_dir():
        raise FileFormatError(f"There is no folder {folder}. Expected CoNLL-2012 files in it.")
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.name.endswith(_ENDINGS)
    )
    names = {str(path) for path in files}
    files = [
        path
        for path in files
        if "_auto_conll" not in path.name
        or str(path).replace("_auto_conll", "_gold_conll") not in names
    ]
    if not files:
        raise FileFormatError(
            f"{folder} contains no CoNLL-2012 files. Expected names that end in conll, such as "
            f"book.conll or cctv_0000.v4_gold_conll."
        )
    return files


def _each_once(files: list[tuple[Path, list[CorefDocument]]]) -> list[CorefDocument]:
    origin: dict[str, Path] = {}
    for file, documents in files:
        for document in documents:
            if document.name in origin:
                raise FileFormatError(
                    f"Document {document.name} is in {file} and already in {origin[document.name]}."
                    f" Keep one of the two."
                )
            origin[document.name] = file
    return [document for _, documents in files for document in documents]
