"""Replay the commands of the safety net and compare what they give with the stored results.

python -m scripts.golden                  # all of it: make golden
python -m scripts.golden --only fast      # the part inside make test
python -m scripts.golden --values         # ignore wording: numbers and structure of records only
python -m scripts.golden --write          # store the present results

A result is the printed text and the kept records, without times, paths and versions. Numbers have
six digits; the last may differ by one unit, because libraries add in another order on other
processors.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import Any

from scripts.command_inputs import make_inputs
from scripts.command_pages import ROOT, empty_folder, printed, real_data, without_seconds
from scripts.golden_commands import MODELS, VECTORS, Step

NET = ROOT / "tests" / "golden" / "net"
PLANS = ROOT / "tests" / "golden" / "plans"
_CHAINS = {"vectors": VECTORS, "models": MODELS}
_LONGEST_LIST = 6
"""Longer lists are stored as a summary, or the net would be 40 MB."""
_DIGITS = 6
_TOLERANCE = 3e-6
_VOLATILE = {
    "provenance",
    "times",
    "seconds",
    "date",
    "unslant",
    "version",
    "file",
    "path",
    "command",
}
_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*[A-Za-z_])")


def results(chain: str, *, only_fast: bool = False) -> dict[str, str]:
    """Run one chain of commands in an empty folder; the stored form of each step's result."""
    steps = [step for step in _CHAINS[chain] if step.is_fast or not only_fast]
    models = ("minilm", "smollm2", "gte-small") if chain == "models" else ()
    with empty_folder(has_inputs=False) as folder:
        make_inputs(folder, ROOT, models)
        for plan in PLANS.glob("*.toml"):
            shutil.copy(plan, folder)
        return {step.name: _result(step, folder) for step in steps}


def differences(step: str, now: str, *, only_values: bool = False) -> Iterator[str]:
    """What differs from the stored result, line by line."""
    file = NET / f"{step}.txt"
    if not file.is_file():
        yield f"{step}: nothing is stored; run python -m scripts.golden --write"
        return
    stored = file.read_text("utf-8")
    if only_values:
        stored, now = _values(stored), _values(now)
    lines = zip_longest(stored.splitlines(), now.splitlines(), fillvalue="(no line)")
    for number, (before, after) in enumerate(lines, start=1):
        if before != after and not _is_close(before, after):
            yield f"{step}, line {number}\n  stored {before}\n  now    {after}"


def _result(step: Step, folder: Path) -> str:
    began = time.monotonic()
    with real_data(step.line):
        text = printed(step.line)
    if text.startswith("{"):
        text = _as_lines(json.loads(text))
    parts = [f"$ {step.line}", _timeless(text, folder)]
    parts += [f"# {name}\n{_as_lines(_record(folder / name))}" for name in step.keeps]
    print(f"{time.monotonic() - began:6.1f} s  {step.name}", file=sys.stderr, flush=True)
    return "\n".join(parts) + "\n"


def _record(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _timeless(text: str, folder: Path) -> str:
    """Printed text without times, sizes of files, and where it ran."""
    text = without_seconds(text).replace(str(folder.resolve()), "FOLDER")
    text = re.sub(r"\b\d+(\.\d+)? (s|seconds|minutes|[kMG]?B)\b", r"… \2", text)
    return re.sub(r"\b\d{4}-\d{2}-\d{2}\b", "DATE", text)


def _as_lines(value: Any) -> str:
    return json.dumps(_compact(value), indent=1, ensure_ascii=False, sort_keys=True)


def _compact(value: Any) -> Any:
    """A record without what differs between runs, long lists summarised."""
    if isinstance(value, dict):
        return {key: _compact(kept) for key, kept in value.items() if key not in _VOLATILE}
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, list):
        return _summary(value) if len(value) > _LONGEST_LIST else [_compact(item) for item in value]
    return value


def _summary(items: list[Any]) -> Any:
    """A long list as its size, its ends and its mean; one of objects column by column."""
    if all(isinstance(item, dict) for item in items):
        keys = dict.fromkeys(key for item in items for key in item if key not in _VOLATILE)
        return {key: _summary([item.get(key) for item in items]) for key in keys}
    ends = {"items": len(items), "first": _compact(items[0]), "last": _compact(items[-1])}
    numbers = [item for item in items if isinstance(item, int | float)]
    if len(numbers) == len(items):
        mean = sum(numbers) / len(numbers)
        spread = (sum((number - mean) ** 2 for number in numbers) / len(numbers)) ** 0.5
        return ends | {"mean": _compact(float(mean)), "sd": _compact(float(spread))}
    text = json.dumps([_compact(item) for item in items], ensure_ascii=False, sort_keys=True)
    if re.search(r"\d\.\d", text):  # a hash of computed numbers would differ in the last digit
        return ends | {"characters of words": len(re.sub(r"[-\d.e]", "", text))}
    return ends | {"sha256": hashlib.sha256(text.encode()).hexdigest()[:16]}


def _values(text: str) -> str:
    """The numbers of each line, and the keys of records, without wording."""
    lines = []
    for line in text.splitlines()[1:]:
        key = re.match(r' *"([^"]+)": ', line)
        numbers = _NUMBER.findall(line[key.end() :] if key else line)
        if numbers:
            lines.append(" ".join([key[1] if key else "", *numbers]))
    return "\n".join(lines)


def _is_close(before: str, after: str) -> bool:
    if _NUMBER.sub("#", before) != _NUMBER.sub("#", after):
        return False
    pairs = zip(_NUMBER.findall(before), _NUMBER.findall(after), strict=True)
    return all(_is_equal(one.replace("−", "-"), other.replace("−", "-")) for one, other in pairs)


def _is_equal(before: str, after: str) -> bool:
    first, second = float(before), float(after)
    return abs(first - second) <= max(_TOLERANCE * max(abs(first), abs(second)), 1e-12)


def main() -> None:
    """Run the net, or a part of it; ends with 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["fast", *_CHAINS], help="a part of the net")
    parser.add_argument("--values", action="store_true", help="ignore wording")
    parser.add_argument("--write", action="store_true", help="store the present results")
    asked = parser.parse_args()
    chains = {"fast": ["vectors"], None: list(_CHAINS)}.get(asked.only, [asked.only])
    made = _run(chains, only_fast=asked.only == "fast")
    if asked.write:
        NET.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            (NET / f"{name}.txt").write_text(text, "utf-8")
        return
    wrong = [
        line
        for name, text in made.items()
        for line in differences(name, text, only_values=asked.values)
    ]
    print("\n".join(wrong[:200]))
    print(f"{len(made)} results, {len(wrong)} lines differ.")
    sys.exit(1 if wrong else 0)


def _run(chains: Sequence[str], *, only_fast: bool) -> dict[str, str]:
    """All chains side by side, each in a process of its own, on one thread, so sums are stable."""
    os.environ |= {"UNSLANT_THREADS": "1", "OMP_NUM_THREADS": "1"}
    # Not a Pool: it waits for ever if a worker ends with SystemExit, as a failing command does.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(chains), mp_context=spawn) as workers:
        running = [workers.submit(results, chain, only_fast=only_fast) for chain in chains]
        return {name: text for each in running for name, text in each.result().items()}


if __name__ == "__main__":
    main()
