"""The lines of a TOML text: right, or not given."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.toml_lines import lines_of

ODD = '''# [not.a.table]
top = "a # no comment" # a comment with [brackets] and key = 1
many = """
[measures]
x = 1 \\""" still inside
"""""
literal = \'\'\'
[[matrix]] # inside
\'\'\'
'quoted # key' = 1
"with \\"escape\\" and \\u00e9" = 2
a.b . "c d".e = 3
a.b.f = [ 1, # one
  [ "]", ']' ], # brackets within
  { g = "}", h.i = [
     5,
  ] },
]
when = 1979-05-27 07:32:00
empty = ""
none = \'\'

[ resources ] # spaces within
"x" = { path = "p", limit = 3 }

[[matrix]]
seeds = [0,
1]
[matrix.inner.deep]
k = 1
[[matrix]]
[[matrix.sub]]
k = 2
[[matrix.sub]]
k = 3
'''


def _line(text: str, fragment: str) -> int:
    """The plainest way to a line: the one that has the fragment."""
    [number] = [n for n, line in enumerate(text.split("\n"), 1) if fragment in line]
    return number


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_odd_toml_is_followed_to_the_line(newline: str) -> None:
    text = ODD.replace("\n", newline)
    found = lines_of(text, tomllib.loads(text))
    for place, fragment in (
        (("top",), "top ="),
        (("many",), "many ="),
        (("literal",), "literal ="),
        (("quoted # key",), "'quoted # key'"),
        (('with "escape" and é',), "escape"),
        (("a", "b", "c d", "e"), "= 3\r".strip()),
        (("a", "b", "f", 0), "# one"),
        (("a", "b", "f", 1, 1), "brackets within"),
        (("a", "b", "f", 2, "g"), "h.i"),
        (("a", "b", "f", 2, "h", "i", 0), "     5,"),
        (("when",), "when"),
        (("resources",), "[ resources ]"),
        (("resources", "x", "limit"), "limit"),
        (("matrix", 0, "seeds", 0), "seeds"),
        (("matrix", 0, "inner", "deep"), "inner.deep"),
        (("matrix", 1, "sub", 1, "k"), "k = 3"),
    ):
        lines = [n for n, line in enumerate(ODD.split("\n"), 1) if fragment in line]
        assert found[place] in lines, place
    assert found["a", "b", "c d", "e"] == _line(ODD, "c d")
    assert found["matrix", 0, "seeds", 1] == found["matrix", 0, "seeds", 0] + 1
    assert found["matrix", 1, "sub", 0] < found["matrix", 1, "sub", 1]


def test_no_line_is_given_where_the_text_is_not_that_of_the_table() -> None:
    assert lines_of("a = 1\n", {"b": 1}) == {}
    assert lines_of("a = [1, 2]\n", {"a": [1]}) == {}
    assert lines_of("this is no TOML", {}) == {}
    assert lines_of("[" * 5000, {}) == {}


def test_every_toml_file_of_the_package_is_followed() -> None:
    root = Path(__file__).resolve().parents[2]
    paths = [*root.glob("src/**/*.toml"), *root.glob("*.toml"), *root.glob("examples/*.toml")]
    assert len(paths) > 20
    for path in paths:
        text = path.read_text(encoding="utf-8")
        table = tomllib.loads(text)
        found = lines_of(text, table)
        assert found, path
        lines = text.split("\n")
        for place, line in found.items():
            if isinstance(place[-1], str) and place[-1].isidentifier():
                assert place[-1] in lines[line - 1], (path, place)


_KEYS = st.text(alphabet="ab.#[]\"'= é\\\t", max_size=4)
_VALUES = st.one_of(st.integers(0, 9), st.text(alphabet="ab#\"'[]{}=,\\\n ", max_size=6))


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(_KEYS, st.one_of(_VALUES, st.lists(_VALUES, max_size=3)), max_size=5))
def test_keys_and_texts_of_any_letters_are_followed(table: dict[str, object]) -> None:
    text, expected = "", {}
    for key, value in table.items():
        text += "# a = 1\n"
        expected[key] = text.count("\n") + 1
        text += f"{_quoted(key)} = {_shown(value)}\n"
    found = lines_of(text, tomllib.loads(text))
    assert {place[0]: line for place, line in found.items() if len(place) == 1} == expected


def _quoted(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(escapes.get(letter, letter) for letter in text) + '"'


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join(_shown(item) for item in value) + "]"
    if isinstance(value, str) and "\n" in value and "\\" not in value and '"' not in value:
        return f'"""\n{value}"""'
    return _quoted(value) if isinstance(value, str) else str(value)
