"""Texts that try to become more than text, and what a page is made of."""

import json
from html.parser import HTMLParser
from typing import Any

SHAPES = [
    "<script>{}</script>", "</script><script>{}</script>", "<img src=x onerror={}>",
    "<svg onload={}>", '"><script>{}</script>', "'><script>{}</script>", '" onmouseover="{}',
    "' onfocus='{}' autofocus='", "<details open ontoggle={}>",
    "</style><script>{}</script>", "</title><script>{}</script>", "<!-- --><script>{}</script>",
    "javascript:{}", "{{{{ {} }}}}", "{{% {} %}}", "&lt;script&gt;{}&lt;/script&gt;",
    "<iframe srcdoc='<script>{}</script>'>", "<a href='javascript:{}'>",
    "<math><mtext></mtext><script>{}</script>", "\u202e<script>{}</script>",
    "<base href='//x'>{}", "<meta http-equiv=refresh content='0;{}'>", "<style>*{{x:{}}}</style>",
    "<link rel=stylesheet href={}>",
]  # fmt: skip
CODES = ["alert(1)", "fetch('x')", "document.title=1", "1/0", "x`y`"]
PAYLOADS = [shape.format(code) for shape in SHAPES for code in CODES]

OURS = {
    "kind", "metric", "better", "how", "alternative", "expression", "subject", "takes", "state",
    "answer", "family", "side", "sides", "by", "format", "role", "when", "verdict", "drawn",
    "level", "probable", "outcome", "mark", "quality", "tells",
}  # fmt: skip
"""The parts of a record that are words of ours; every other text may be anyone's."""


class Shape(HTMLParser):
    """The elements and attributes of a page, its text, and its blocks of data and script."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.data: list[str] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self._inside: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        given = {name: value or "" for name, value in attrs}
        self.attributes.append((tag, given))
        if tag == "script":
            self._inside = self.data if given.get("type") == "application/json" else self.scripts
        if tag == "style":
            self._inside = self.styles

    def handle_endtag(self, tag: str) -> None:
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is None:
            self.text.append(data)
        else:
            self._inside.append(data)

    def values(self, attribute: str) -> list[str]:
        return [given[attribute] for _, given in self.attributes if attribute in given]


def shape_of(html: str) -> Shape:
    parser = Shape()
    parser.feed(html)
    parser.close()
    return parser


def with_text(plain: dict[str, Any], text: str) -> dict[str, Any]:
    """The plain record with one text in every place that is not a word of ours."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: part if is_ours(key, part) else walk(part) for key, part in value.items()}
        if isinstance(value, list):
            return [walk(part) for part in value]
        return text if isinstance(value, str) else value

    copy: dict[str, Any] = walk(json.loads(json.dumps(plain)))
    return copy | {key: plain[key] for key in ("about",) if key in plain}


def is_ours(key: str, value: Any) -> bool:
    """Whether a part of a record is a word of ours, and not an object that has others."""
    return key in OURS and (key == "drawn" or not isinstance(value, dict))


def shrunk(plain: dict[str, Any], most: int = 3) -> dict[str, Any]:
    """The plain record with short lists of words and points, and few results of each metric."""

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            is_table = value.get("kind") == "table"  # every row has a cell for each column
            return {
                key: part if is_table and key == "rows" else short(part)
                for key, part in value.items()
            }
        if isinstance(value, list):
            cut = value[:most] if value and isinstance(value[0], str) else value
            return [short(part) for part in cut]
        return value

    copy: dict[str, Any] = short(json.loads(json.dumps(plain)))
    seen: dict[str, int] = {}
    kept = []
    for result in copy.get("results", ()):
        name = result["now"]["metric"]
        seen[name] = seen.get(name, 0) + 1
        if seen[name] <= 2:
            kept.append(result)
    for item in (result[side] for result in kept for side in ("now", "before")):
        if item:
            item["points"], item["influence"] = item["points"][:20], item["influence"][:most]
    return copy | {"results": kept} if "results" in copy else copy
