"""Write the WEATHub tests as the bundled lists of each language.

    python scripts/weathub_lists.py FOLDER

FOLDER has one folder per language (``de/weat6.json``), from github.com/iamshnoo/weathub: tests 1,
2 and 6 to 9 from its folders ``de_all``, tests 11 to 15 from ``de_new``. A repeated word is
written once, since it is measured once; nothing else is changed. A list that differs between the
first and the new tests of a language is written twice, the second time with ``-new``, and so is
the one on its other side.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parents[1] / "src" / "unslant" / "concepts" / "data" / "weathub"
NEW = "-new"
PAIR = ("female-terms", "male-terms")
WIDTH = 100


def main() -> None:
    """Write a file for each language."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for folder in sorted(path for path in Path(sys.argv[1]).iterdir() if path.is_dir()):
        lists = {name: written(name, words) for name, words in lists_of(folder).items()}
        text = "\n".join(lists[name] for name in sorted(lists))
        (HERE / f"{folder.name}.toml").write_text(f"[lists]\n{text}\n", encoding="utf-8")


def lists_of(folder: Path) -> dict[str, list[str]]:
    """The lists of a language by their categories."""
    found: dict[str, list[str]] = {}
    by_number = sorted(folder.glob("weat*.json"), key=lambda path: number_of(path.stem))
    for path in by_number:
        for entry in json.loads(path.read_text(encoding="utf-8")).values():
            name, words = kebab(entry["category"]), [*dict.fromkeys(entry["examples"])]
            if found.setdefault(name, words) == words:
                continue
            if found.setdefault(name + NEW, words) != words:
                sys.exit(f"{path}: {entry['category']} differs from that of other new tests.")
    if any(name + NEW in found for name in PAIR):
        found = {name + NEW: found[name] for name in PAIR} | found
    return found


def number_of(stem: str) -> int:
    """The number in the name of a test, such as 12 of ``weat12b``."""
    return int(re.sub(r"\D", "", stem))


def kebab(category: str) -> str:
    """The name of a list: ``Non-educatedTerms`` is ``non-educated-terms``."""
    parts = re.sub(r"(?<=[a-z+])(?=[A-Z])", "-", category).replace("+", "-plus")
    return re.sub(r"-+", "-", parts).lower()


def written(name: str, words: list[str]) -> str:
    """A list as TOML, wrapped."""
    lines, line = [f"{name} = ["], "   "
    for word in words:
        cell = f" {json.dumps(word, ensure_ascii=False)},"
        if len(line) + len(cell) > WIDTH:
            lines.append(line)
            line = "   "
        line += cell
    return "\n".join([*lines, line, "]"])


if __name__ == "__main__":
    main()
