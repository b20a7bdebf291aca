"""A cache of one's own for a while, so that nothing is taken from what was kept before."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from unslant.core.folders import cache_folder
from unslant.studies.run.planfolder import make_folder


@contextmanager
def nothing_kept() -> Iterator[None]:
    """Give this process an empty cache, on the same disk, and take it away at the end.

    Vectors are read and debiased, neighbours looked up and models trained as for the first time.
    Only what was downloaded is there: whoever uses it checks its hash.
    """
    usual, chosen = cache_folder(), os.environ.get("UNSLANT_CACHE")
    make_folder(usual)
    with TemporaryDirectory(prefix="afresh-", dir=usual) as folder:
        downloads = usual / "downloads"
        if downloads.is_dir():
            (Path(folder) / "downloads").symlink_to(downloads.resolve(), target_is_directory=True)
        os.environ["UNSLANT_CACHE"] = folder
        try:
            yield
        finally:
            if chosen is None:
                del os.environ["UNSLANT_CACHE"]
            else:
                os.environ["UNSLANT_CACHE"] = chosen
