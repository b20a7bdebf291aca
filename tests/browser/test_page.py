"""The page in a browser: a dropped file, pinned words, sorted tables, the address, six methods."""

import csv
import io
from pathlib import Path

import pytest
from scripts.serving import Served

from tests.browser.exploring import SCATTER, SHOWN, apply, press
from tests.browser.tabs import Tab, Tabs
from unslant.core.visible import safe_cell
from unslant.vectors import WordVectors

NAMED = ".pin-label, .pinned-text"
DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const sent = (kind) => document.body.dispatchEvent(
        new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
    sent("dragenter");
    const isShown = !document.getElementById("drop-here").hidden;
    sent("dragover");
    sent("drop");
    return isShown && document.getElementById("drop-here").hidden;
}"""
HOSTILE = ["=1+1", "+cmd", "-x", "@SUM(A1)", "\tx", "\rx", 'a"b', "a,b", "nurse", "−0.5", "1,234"]
CSV = """async (cells) => {
    const { csv } = await import("/tables.js");
    return csv({ columns: [{ name: "=head" }] }, cells.map((cell) => [cell]));
}"""


def text_of(vectors: WordVectors, count: int) -> str:
    words = list(vectors.words)[:count]
    rows = vectors.matrix[:count]
    return "".join(
        f"{word} {' '.join(f'{value:.4f}' for value in row)}\n"
        for word, row in zip(words, rows, strict=True)
    )


def test_a_file_is_dropped_and_explored_and_a_bad_one_is_refused_in_words(
    tab: Tab, glove: WordVectors
) -> None:
    assert tab.page.evaluate(DROP, ["my own.txt", text_of(glove, 4_000)])
    tab.page.wait_for_selector("#vectors option:checked:has-text('my own')", state="attached")
    tab.page.wait_for_selector(SHOWN)
    id = tab.page.input_value("#vectors")
    assert f"vectors={id}" in tab.page.url
    for select in ("#own-vectors", "#measure-vectors", "#sides select >> nth=0"):
        assert id in tab.page.locator(select).locator("option").evaluate_all(
            "all => all.map((one) => one.value)"
        )
    assert tab.page.evaluate(DROP, ["bad.txt", "he 1 0\nshe 1\n"])
    tab.page.wait_for_selector("#drop-job [role=alert]:has-text('bad.txt')")
    assert tab.page.input_value("#vectors") == id


IN_VIEW = """(element) => {
    const box = element.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return box.top >= 0 && box.bottom <= innerHeight && element.contains(top);
}"""


@pytest.mark.parametrize("width", [1200, 390])
def test_a_file_that_cannot_be_opened_is_told_in_view_and_the_message_can_be_closed(
    tab: Tab, width: int, tmp_path: Path
) -> None:
    message = "#drop-job [role=alert]"
    tab.page.set_viewport_size({"width": width, "height": 800})
    tab.page.evaluate("() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })")
    there = tab.page.evaluate("scrollY")
    assert there > 300
    assert tab.page.evaluate(DROP, ["bad.txt", "he 1 0\nshe 1\n"])
    tab.page.wait_for_selector(f"{message}:has-text('bad.txt')")
    assert tab.page.eval_on_selector(message, IN_VIEW)
    tab.page.keyboard.press("Escape")
    assert tab.page.locator(message).count() == 0

    tab.page.evaluate("() => scrollTo({ top: 0, behavior: 'instant' })")
    tab.page.focus("#open-file")
    (tmp_path / "no.txt").write_text("he x\n")
    tab.page.set_input_files("#file", tmp_path / "no.txt")
    tab.page.wait_for_selector(f"{message}:has-text('no.txt')")
    assert tab.page.eval_on_selector(message, IN_VIEW)
    tab.page.click("#drop-job .dismiss")
    assert tab.page.locator("#drop-job *").count() == 0
    assert tab.page.evaluate("() => document.activeElement.id") == "open-file"


def test_a_message_below_the_screen_is_scrolled_to(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 390, "height": 400})
    tab.page.click("#tab-measure")
    tab.page.fill("#measure-given", "nonsense=1")
    tab.page.press("#measure-given", "Enter")
    tab.page.wait_for_selector("#measure-job [role=alert]")
    tab.page.wait_for_function(
        f"() => ({IN_VIEW})(document.querySelector('#measure-job [role=alert]'))"
    )


def test_a_word_is_found_pinned_kept_in_the_address_and_let_go(tab: Tab) -> None:
    tab.page.fill("#find-word", "NURSE")
    tab.page.keyboard.press("Enter")
    label = tab.page.locator(f"#explore-result :is({NAMED}):has-text('nurse')").first
    label.wait_for()
    assert "pin=nurse" in tab.page.url
    press(tab, "#choice-1")
    assert tab.page.locator(f"{SCATTER} >> nth=0 >> {NAMED}").count() == 2  # before and after
    tab.page.click("#theme")  # draws the charts again
    label.wait_for()
    tab.page.reload()
    label.wait_for()
    assert tab.page.get_attribute("#choice-1", "aria-pressed") == "true"
    tab.page.click("#pinned button")
    assert tab.page.locator(NAMED).count() == 0
    assert "pin=" not in tab.page.url
    tab.page.fill("#find-word", "zzqx")
    tab.page.keyboard.press("Enter")
    assert "“zzqx” is in none of the charts" in tab.page.inner_text("#find-says")
    tab.page.keyboard.press("Escape")
    assert tab.page.inner_text("#find-says") == ""


def test_a_mark_is_pinned_by_keys_and_by_a_click(tab: Tab) -> None:
    live = tab.page.locator(f"{SCATTER} .live >> nth=0")
    live.focus()
    tab.page.keyboard.press("ArrowRight")
    word = tab.page.inner_text(".tip dd >> nth=0")
    tab.page.keyboard.press("Enter")
    assert tab.page.inner_text("#pinned").replace("×", "").strip() == word
    tab.page.keyboard.press("Enter")
    assert tab.page.inner_text("#pinned").strip() == ""
    mark = tab.page.locator(f"{SCATTER} >> nth=0 >> .mark-symbol path >> nth=5")
    mark.dispatch_event("click")
    assert tab.page.locator("#pinned button").count() == 1


def column(tab: Tab, place: int) -> list[str]:
    found: list[str] = tab.page.locator(
        f"#own-result tbody tr > :nth-child({place})"
    ).all_inner_texts()
    return found


def test_tables_are_sorted_by_keys_and_saved_as_they_stand(tab: Tab, tmp_path: Path) -> None:
    tab.page.click("#tab-own")
    tab.page.fill("#own-words", "nurse engineer teacher =evil")
    tab.page.wait_for_selector("#own-missing >> text==evil")
    tab.page.wait_for_function(
        "() => document.querySelectorAll('#own-result tbody tr').length <= 5"
    )
    first = column(tab, 1)
    head = tab.page.locator("#own-result thead th >> nth=1")
    head.locator("button").focus()
    tab.page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    values = [float(text.replace("−", "-")) for text in column(tab, 2)]
    assert values == sorted(values)
    tab.page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert [float(text.replace("−", "-")) for text in column(tab, 2)] == values[::-1]
    with tab.page.expect_download() as download:
        tab.page.click("#own-result .get-csv >> nth=0")
    download.value.save_as(tmp_path / "table.csv")
    assert download.value.suggested_filename.endswith(".csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "table.csv").read_text(encoding="utf-8"))))
    assert [row[0] for row in rows[1:]] == column(tab, 1)
    assert [round(float(row[1]), 3) for row in rows[1:]] == values[::-1]
    tab.page.keyboard.press("Tab")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") is None
    assert column(tab, 1) == first


def test_no_cell_of_a_saved_table_is_a_formula(tab: Tab) -> None:
    told = tab.page.evaluate(CSV, HOSTILE)
    cells = [row[0] for row in csv.reader(io.StringIO(told, newline="")) if row]
    numbers = {"−0.5": "-0.5", "1,234": "1234"}
    expected = [safe_cell("=head"), *(numbers.get(text, safe_cell(text)) for text in HOSTILE)]
    assert cells == expected


def test_the_address_keeps_what_is_shown_and_back_and_forward_go_through_it(
    tab: Tab, tabs: Tabs, server: Served
) -> None:
    assert tab.page.url == server.root  # nothing to keep yet
    press(tab, "#choice-2")
    apply(tab, "hard | misp")
    shown = tab.page.url
    assert "method=hard+%7C+misp" in shown
    assert "token" not in shown
    tab.page.click("#tab-measure")
    tab.page.click("#measure-start")
    tab.page.wait_for_selector("#measure-result table")
    assert "name=weat" in tab.page.url
    tab.page.go_back()
    tab.page.go_back()
    assert tab.page.url == shown
    assert tab.page.locator("#explore").is_visible()
    tab.page.go_back()
    tab.page.wait_for_selector("#choice-2[aria-pressed=true]")
    tab.page.go_back()
    tab.page.wait_for_selector("#as-it-is[aria-pressed=true]")
    tab.page.go_forward()
    tab.page.wait_for_selector("#choice-2[aria-pressed=true]")
    tab.page.wait_for_selector(SHOWN)
    other = tab.page.context.new_page()
    other.goto(shown.replace(server.root, server.address))  # each tab has to be let in
    other.wait_for_selector("#more[aria-pressed=true]")
    other.wait_for_selector(SHOWN)
    assert other.input_value("#method") == "hard | misp"
    other.close()


def test_an_address_that_names_what_is_not_here_shows_the_page_all_the_same(
    tab: Tab, server: Served
) -> None:
    tab.page.goto(f"{server.root}#tab=nowhere&vectors=d77&concept=../x&method=&pin=%3Cb%3E")
    tab.page.reload()
    tab.page.wait_for_selector(SHOWN)
    assert tab.page.input_value("#vectors") == "v1"
    assert tab.page.locator("#pinned b").count() == 0


def test_six_methods_stand_side_by_side_and_the_defaults_are_the_three_choices(tab: Tab) -> None:
    tab.page.click("#tab-compare")
    methods = [field.input_value() for field in tab.page.locator("#sides input").all()]
    assert methods == ["", "hard", "leace", "inlp"]
    for method in ("linear", "random(seed=3)"):
        tab.page.click("#side-add")
        tab.page.keyboard.type(method)  # the new field has the focus
    assert tab.page.locator("#side-add").is_disabled()
    tab.page.click("#compare-start")
    tab.page.wait_for_selector("#compare-result table >> nth=1", timeout=60_000)
    heads = tab.page.locator("#compare-result table >> nth=0 >> thead th").all_inner_texts()
    assert heads[1:7] == ["as it is", "hard", "leace", "inlp", "linear", "random(seed=3)"]
    assert tab.page.locator("#compare-result td.better").count() > 0
    assert tab.page.locator("#compare-result figure .live svg").count() == 3
    tab.page.locator("#compare-result thead button >> nth=2").click()
    assert "+hard&side=" in tab.page.url


def test_a_probe_is_put_to_the_vectors_and_can_be_cancelled(tab: Tab) -> None:
    tab.page.click("#tab-probes")
    tab.page.wait_for_selector("#probe-start:not([disabled])")
    assert tab.page.input_value("#probe-name") == "nli"
    tab.page.select_option("#probe-set", "gender-occupation")
    tab.page.click("#probe-start")
    tab.page.click("#probe-job .cancel")
    tab.page.wait_for_selector("#probe-job >> text=Cancelled.")
    tab.page.select_option("#probe-set", "marked-attribute")
    tab.page.fill("#probe-given", "resamples=50")
    tab.page.click("#probe-start")
    tab.page.wait_for_selector("#probe-result table", timeout=60_000)
    tab.page.wait_for_selector("#probe-result figure .live svg")
    assert "set=marked-attribute" in tab.page.url
    tab.page.fill("#probe-given", "set=mine.toml")
    tab.page.click("#probe-start")
    tab.page.wait_for_selector("#probe-job [role=alert]")
