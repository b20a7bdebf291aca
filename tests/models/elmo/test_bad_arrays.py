"""Arrays that are stored in ways that could lead out of the file or run code, and wrong ones."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.elmo.asking import asked, refusal
from tests.models.elmo.made_elmo import OPTIONS, Arrays, random_arrays, write_elmo
from unslant.core.errors import UnslantError


def _rewritten(tmp_path: Path, write: Callable[[Any, Arrays], None], leave_out: str) -> Path:
    """A folder in which one array is stored in another way."""
    import h5py

    arrays = random_arrays(OPTIONS)
    taken = {leave_out: arrays.pop(leave_out)}
    folder = tmp_path / "model"
    write_elmo(folder, OPTIONS, arrays)
    with h5py.File(folder / "weights.hdf5", "a") as file:
        write(file, taken)
    return folder


ARRAY = "CNN_proj/W_proj"


def _outside(file: Any, taken: Arrays) -> Path:
    """The array in another file, beside the folder."""
    import h5py

    outside = Path(file.filename).parent.parent / "outside.hdf5"
    with h5py.File(outside, "w") as other:
        other[ARRAY] = taken[ARRAY]
    return outside


def _external_link(file: Any, taken: Arrays) -> None:
    import h5py

    file[ARRAY] = h5py.ExternalLink(str(_outside(file, taken)), ARRAY)


def _soft_link(file: Any, taken: Arrays) -> None:
    import h5py

    file["elsewhere"] = taken[ARRAY]
    file[ARRAY] = h5py.SoftLink("/elsewhere")


def _endless_link(file: Any, taken: Arrays) -> None:
    import h5py

    file[ARRAY] = h5py.SoftLink(f"/{ARRAY}")


def _linked_group(file: Any, taken: Arrays) -> None:
    import h5py

    outside = _outside(file, taken)
    del file["CNN_proj"]
    file["CNN_proj"] = h5py.ExternalLink(str(outside), "CNN_proj")


def _external_data(file: Any, taken: Arrays) -> None:
    raw = Path(file.filename).parent.parent / "raw"
    raw.write_bytes(taken[ARRAY].tobytes())
    size = taken[ARRAY].nbytes
    file.create_dataset(ARRAY, taken[ARRAY].shape, "<f4", external=[(str(raw), 0, size)])


def _virtual(file: Any, taken: Arrays) -> None:
    import h5py

    layout = h5py.VirtualLayout(taken[ARRAY].shape, "<f4")
    layout[:] = h5py.VirtualSource(str(_outside(file, taken)), ARRAY, taken[ARRAY].shape)
    file.create_virtual_dataset(ARRAY, layout)


def _compressed(file: Any, taken: Arrays) -> None:
    file.create_dataset(ARRAY, data=taken[ARRAY], compression="gzip")


def _unknown_filter(file: Any, taken: Arrays) -> None:
    """A filter that a plug-in would have to bring; the array has no data that it could act on."""
    import h5py

    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk((2, 2))
    plan.set_filter(32_015, h5py.h5z.FLAG_OPTIONAL)
    space = h5py.h5s.create_simple(taken[ARRAY].shape)
    h5py.h5d.create(file["CNN_proj"].id, b"W_proj", h5py.h5t.IEEE_F32LE, space, plan)


def _never_written(file: Any, taken: Arrays) -> None:
    file.create_dataset(ARRAY, taken[ARRAY].shape, "<f4")


def _huge(file: Any, taken: Arrays) -> None:
    file.create_dataset(ARRAY, (1 << 40, 1 << 20), "<f4")


def _as(kind: str) -> Callable[[Any, Arrays], None]:
    def write(file: Any, taken: Arrays) -> None:
        file.create_dataset(ARRAY, data=taken[ARRAY].astype(kind))

    return write


def _texts(file: Any, taken: Arrays) -> None:
    import h5py

    file.create_dataset(ARRAY, taken[ARRAY].shape, h5py.string_dtype())


def _group(file: Any, taken: Arrays) -> None:
    file.create_group(ARRAY)


def _turned(file: Any, taken: Arrays) -> None:
    file[ARRAY] = taken[ARRAY].T


def _not_a_number(file: Any, taken: Arrays) -> None:
    taken[ARRAY][1, 2] = np.nan
    file[ARRAY] = taken[ARRAY]


STORED: dict[str, tuple[Callable[[Any, Arrays], None], str]] = {
    "external link": (_external_link, "lead out of the file"),
    "soft link": (_soft_link, "lead out of the file"),
    "soft link to itself": (_endless_link, "lead out of the file"),
    "group in another file": (_linked_group, "lead out of the file"),
    "data in another file": (_external_data, "in another file"),
    "virtual data": (_virtual, "in another file"),
    "compressed": (_compressed, "compressed"),
    "filter of a plug-in": (_unknown_filter, "compressed"),
    "never written": (_never_written, "must hold"),
    "huge": (_huge, "shape"),
    "double precision": (_as("<f8"), "32 bits"),
    "other byte order": (_as(">f4"), "32 bits"),
    "integers": (_as("<i4"), "32 bits"),
    "texts": (_texts, "32 bits"),
    "a group": (_group, "no array"),
    "missing": (lambda file, taken: None, "no array|bytes of weights"),
    "turned": (_turned, "shape"),
    "not a number": (_not_a_number, "not finite"),
}


@pytest.mark.parametrize("kind", STORED)
def test_an_array_that_is_not_plainly_in_the_file_is_refused(kind: str, tmp_path: Path) -> None:
    write, says = STORED[kind]
    folder = _rewritten(tmp_path, write, ARRAY)
    with pytest.raises(UnslantError, match=says):
        asked(folder)
    assert "W_proj" in refusal(folder) or kind == "missing"


def test_an_array_that_is_written_again_as_it_was_is_read(tmp_path: Path) -> None:
    """So that the refusals above are for what was done to it, and not for rewriting."""
    asked(_rewritten(tmp_path, lambda file, taken: file.update(taken), ARRAY))
