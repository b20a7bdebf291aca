"""Make the pictures of reports, figures and the page that the README and the docs show.

python scripts/screenshots.py docs/images
"""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if not __package__:  # started as a file: the folder above must be importable
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.chromium import chromium
from scripts.serving import served

import unslant as us
from unslant.core.record import Record
from unslant.reports.figures.export import save_figure
from unslant.reports.figures.of_record import figures_of
from unslant.studies.plan.reading import read_plan
from unslant.studies.run.attempts import InProcess
from unslant.studies.run.run import run
from unslant.studies.run.store import Store
from unslant.studies.study_record import study_record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHAIN = "hard | misp"
PLAN = Path(__file__).resolve().parent.parent / "examples" / "quick.toml"
WIDTH, HEIGHT, MARGIN = 1200, 900, 6
LARGEST = 300_000
DRAWN = ".live svg"

OF_AUDIT = {
    "scatter-occupations": "scatter.svg",
    "extremes-occupations": "extremes.svg",
    "forest-weat": "forest.svg",
}
OF_ORIGINAL = {"spectrum": "spectrum.svg"}
OF_PROBE = {"measures": "probe-measures.svg", "answers": "probe-answers.svg"}
OF_STUDY = {
    "heatmap": "study-heatmap.svg",
    "front": "study-front.svg",
    "correlations-pearson": "study-correlations.svg",
}
"""Which figures are shown, by their names in the record, and as which files."""


def main(folder: Path) -> None:
    vectors, gender = us.load(), us.concept("gender")
    audit = us.audit(us.debias(CHAIN, vectors, gender), gender, baseline=vectors, quality=False)
    draw(audit.record, OF_AUDIT, folder)
    draw(us.audit(vectors, gender, quality=False).record, OF_ORIGINAL, folder)
    probe = us.probe("nli(set=marked-attribute)", vectors, method=CHAIN, compare=True)
    draw(probe.record, OF_PROBE, folder)
    draw(quick_study(), OF_STUDY, folder)
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        report = audit.save(Path(scratch) / "report.html")
        clusters = [figure.name for figure in figures_of(audit.record)].index("clusters") + 1
        for theme, name in (("light", "report.png"), ("dark", "report-dark.png")):
            page = opened(browser, report.as_uri(), theme)
            page.locator(f"figure {DRAWN}").last.wait_for()
            shoot_down_to(page, ".summary .account", folder / name)
            if theme == "light":
                page.locator(f"#figure-{clusters} {DRAWN}").screenshot(path=folder / "clusters.png")
                told(folder / "clusters.png")
        shoot_server(browser, folder / "serve.png")


def draw(record: Record, wanted: Mapping[str, str], folder: Path) -> None:
    figures = {figure.name: figure for figure in figures_of(record)}
    for name, file in wanted.items():
        told(save_figure(figures[name], folder / file))


def quick_study() -> Record:
    """The record of the example study."""
    with tempfile.TemporaryDirectory() as folder:
        run(read_plan(PLAN), Store(Path(folder)), InProcess())
        return study_record(folder)


def shoot_server(browser: "Browser", target: Path) -> None:
    with served() as server:
        page = opened(browser, server.address, "light")
        page.wait_for_selector("#keep")  # all of the first view is there
        page.click("#more")
        page.fill("#method", CHAIN)
        with page.expect_response("**/api/jobs"):
            page.click("#apply")
        page.wait_for_selector("#keep")
        page.locator("#method").blur()
        shoot_down_to(page, "#explore-result figure[data-name^=scatter] .live", target)
        page.close()


def opened(browser: "Browser", address: str, theme: Any) -> "Page":
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=theme)
    page.goto(address)
    return page


def shoot_down_to(page: "Page", last: str, target: Path) -> None:
    """The page from its top down to the end of an element."""
    box = page.locator(last).bounding_box()
    assert box is not None
    height = round(box["y"] + box["height"]) + MARGIN
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.screenshot(path=target, animations="disabled", caret="hide")
    told(target)


def told(picture: Path) -> None:
    """Say what was made; a picture that would weigh on the repository is an error."""
    size = picture.stat().st_size
    print(f"{picture}: {size:,} bytes")
    if size > LARGEST:
        sys.exit(f"{picture} is larger than {LARGEST:,} bytes.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
