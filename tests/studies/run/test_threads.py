"""One thread for each cell, also of libraries that the first cell loads."""

import json
import os
import subprocess
import sys

import pytest

from unslant.numerics.chunks import ordered_parallel
from unslant.studies.run.task import set_one_thread, threads_restored

LATE = """
import json, os, sys
from threadpoolctl import threadpool_info
from unslant.studies.run.task import threads_restored
before = dict(os.environ)
assert "scipy" not in sys.modules
with threads_restored():
    import numpy, scipy.linalg
    scipy.linalg.eigh(numpy.eye(3))
    print(json.dumps([library["num_threads"] for library in threadpool_info()]))
assert dict(os.environ) == before
"""


def test_a_library_that_is_loaded_under_the_limit_obeys_it() -> None:
    many = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "2")
    done = subprocess.run(
        [sys.executable, "-c", LATE],
        env={**os.environ, **many},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert len(found) >= 2  # numpy and scipy bring one each
    assert set(found) == {1}


def test_the_environment_is_as_before_after_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = dict(os.environ)
    with pytest.raises(ZeroDivisionError), threads_restored():
        assert os.environ["MKL_NUM_THREADS"] == "1"
        raise ZeroDivisionError
    assert dict(os.environ) == before


def test_a_worker_does_its_work_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    names = set(ordered_parallel(lambda _: threading.current_thread().name, range(9)))
    assert threading.current_thread().name not in names
    set_one_thread()
    names = set(ordered_parallel(lambda _: threading.current_thread().name, range(9)))
    assert names == {threading.current_thread().name}
