"""What the documentation site has beyond the files of docs/: mkdocs calls these functions.

Pages about components and commands and the reference of public names are made from the code; the
outputs of commands are those in the file that UNSLANT_OUTPUTS names, if there is one. CHANGELOG.md
and CONTRIBUTING.md join from the top folder. Links from docs/ to other files of the repository,
which work where the repository is read, become links to the repository.
"""

import os
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Any

from scripts.command_pages import pages as command_pages
from scripts.command_pages import saved_outputs
from scripts.site.component_pages import component_pages
from scripts.site.reference_page import reference_page

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(#[^)\s]*)?(?=\))")
_FROM_TOP = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


@cache
def made_pages() -> dict[str, str]:
    """Every page that is not a file of docs/, by its path in the site."""
    outputs = os.environ.get("UNSLANT_OUTPUTS")
    commands = command_pages(saved_outputs(Path(outputs)) if outputs else {})
    top = {page: (ROOT / name).read_text("utf-8") for name, page in _FROM_TOP.items()}
    commands = {f"commands/{name}": text for name, text in commands.items()}
    return {**component_pages(), **commands, "api.md": reference_page(), **top}


def on_config(config: Any) -> Any:
    """Put pages in the place of the folders that the navigation names."""
    found = {path.relative_to(config.docs_dir).as_posix() for path in _sources(config)}
    pages = found | set(made_pages())
    config.nav = [filled for item in config.nav if (filled := _filled(item, pages))]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    for path, text in made_pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Lead links out of docs/ to the repository."""
    own = page.file.src_uri
    above = "" if own in _FROM_TOP.values() else posixpath.join("docs", posixpath.dirname(own))
    return with_links(with_lists(markdown), above, own, config.extra["repository"])


def with_lists(markdown: str) -> str:
    """A page with an empty line before each list, which Markdown here needs to see one.

    >>> with_lists("New\\n- a\\n- b")
    'New\\n\\n- a\\n- b'
    """
    return re.sub(r"^(?![-\s|`])(.+)\n(?=- )", r"\1\n\n", markdown, flags=re.MULTILINE)


def with_links(markdown: str, folder: str, page: str, repository: str) -> str:
    """A page of a folder of the repository with links that work in the site.

    >>> with_links("[a](../CHANGELOG.md) [b](../src/) [c](nli.md)", "docs", "x.md", "R")
    '[a](changelog.md) [b](R/tree/main/src) [c](nli.md)'
    """

    def led(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[1]))
        if target in _FROM_TOP:
            inside = _FROM_TOP[target]
        elif target.startswith("docs/"):
            inside = target.removeprefix("docs/")
        else:
            kind = "blob" if (ROOT / target).is_file() else "tree"
            return f"{repository}/{kind}/main/{target}"
        return posixpath.relpath(inside, posixpath.dirname(page) or ".") + (match[2] or "")

    return _LINK.sub(led, markdown)


def _sources(config: Any) -> list[Path]:
    return sorted(Path(config.docs_dir).glob("**/*.md"))


def _filled(item: Any, pages: set[str]) -> Any:
    """An entry of the navigation; None if it names a folder without pages."""
    [(title, value)] = item.items()
    if isinstance(value, list):
        inner = [filled for each in value if (filled := _filled(each, pages))]
        return {title: inner} if inner else None
    if not value.endswith("/"):
        return item
    inside = _inside(value, pages)
    return {title: inside} if inside else None


def _inside(folder: str, pages: set[str]) -> list[Any]:
    """What the navigation has of a folder: its index, then pages and folders by name."""
    names = {page.removeprefix(folder).split("/")[0] for page in pages if page.startswith(folder)}
    own = [f"{folder}index.md"] if "index.md" in names else []
    return own + [
        f"{folder}{name}" if name.endswith(".md") else {name: _inside(f"{folder}{name}/", pages)}
        for name in sorted(names - {"index.md"})
    ]
