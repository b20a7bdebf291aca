"""What the tests of ELMo share: a small random one, and the released one where it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.elmo.made_elmo import OPTIONS, random_arrays, write_elmo
from unslant.models.elmo import ElmoModel, load_elmo


@pytest.fixture(autouse=True, scope="session")
def one_torch_thread() -> Iterator[None]:
    """Every test here needs both libraries, and tiny products need no second thread."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("h5py", reason="h5py is not installed")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elmo") / "small-elmo"
    write_elmo(folder, OPTIONS, random_arrays(OPTIONS))
    return folder


@pytest.fixture(scope="session")
def elmo(made_folder: Path) -> ElmoModel:
    return load_elmo(made_folder)


@pytest.fixture(scope="session")
def released_folder(data: Path) -> Path:
    folder = data / "elmo_tiny"
    if not folder.is_dir():
        pytest.skip("UNSLANT_DATA lacks elmo_tiny")
    return folder
