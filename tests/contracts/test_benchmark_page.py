"""The table of benchmarks takes new lines, and keeps those that were not measured again."""

from pathlib import Path

from benchmarks.run import put_on_page

STANDING = """# Speed

<!-- begin run -->
| benchmark | Unslant | against | its figure |
| --- | --- | --- | --- |
| walk (within 1e-7) | 7 s | one by one, batches of 32 | 70 s |
| load | 2 s | gensim | 9 s |
| load | 2 s | numpy | 5 s |

cores 2, processor old
<!-- end run -->
"""


def test_a_line_is_replaced_by_what_it_is_of_and_all_else_stays(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(STANDING, encoding="utf-8")
    put_on_page(
        page,
        "| benchmark          | Unslant | against                    | its figure |\n"
        "| ------------------ | ------- | -------------------------- | ---------- |\n"
        "| walk (within 2e-7) | 6 s     | one by one, batches of 128 | 60 s       |\n"
        "| load               | 1 s     | numpy                      | 4 s        |\n"
        "| save               | 3 s     | gensim                     | 6 s        |",
        "cores 2, processor new",
    )
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[3:] == [
        "| benchmark | Unslant | against | its figure |",
        "| --- | --- | --- | --- |",
        "| walk (within 2e-7) | 6 s | one by one, batches of 128 | 60 s |",
        "| load | 2 s | gensim | 9 s |",
        "| load | 1 s | numpy | 4 s |",
        "| save | 3 s | gensim | 6 s |",
        "",
        "cores 2, processor new",
        "<!-- end run -->",
    ]
