"""The documentation is true: its links lead somewhere and its examples run."""

import doctest
import importlib
import pkgutil
import re
import runpy
import shlex
import shutil
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import unslant
from tests.command_line import parsed
from tests.contracts import test_component_examples as component_examples
from tests.real_models import real_model
from unslant.concepts import WordPolicy, concept
from unslant.concepts.read import parse_concept
from unslant.core.errors import ExpressionError
from unslant.core.registry import Registry
from unslant.measures.registry import MEASURES
from unslant.measures.running import measure
from unslant.methods.chains import chain_of
from unslant.methods.method import DEBIASERS
from unslant.methods.pipeline import fit
from unslant.studies.audit_jobs import GivenJob
from unslant.studies.recommendation.plan_text import Candidate
from unslant.vectors import WordVectors
from unslant.vectors.save import save

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


@pytest.fixture
def short_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits of two measures: a whole one is in cli/test_commands.py and studies/test_audit.py."""
    gender = concept("gender")
    weat = ("weat", gender.test("career-family"))
    jobs: list[GivenJob] = [weat, ("direct-bias(neutral=occupations)", gender)]
    monkeypatch.setattr(unslant, "audit", partial(unslant.audit, jobs=jobs))


@pytest.fixture
def short_recommendations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one method and two controls: studies/recommendation has the whole of one."""
    some = (Candidate(expression="linear", cost=1),)
    monkeypatch.setattr("unslant.studies.recommendation.plan_text.CONTROLS", 1)
    monkeypatch.setattr("unslant.studies.recommendation.recommend.CANDIDATES", some)
    monkeypatch.setattr("unslant.studies.recommendation.plan_text.CANDIDATES", some)
    monkeypatch.setattr("unslant.studies.recommendation.plan_text._BENCHMARKS", ())


@pytest.mark.usefixtures("short_audits")
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "first_steps.py"))
    assert (tmp_path / "unslant-report-gender.html").exists()
    text = (ROOT / "examples" / "pets.toml").read_text()
    assert parse_concept(text, "pets.toml").test("pleasantness")


def test_the_concept_in_the_guide_reads_and_measures(glove: WordVectors) -> None:
    [text] = blocks("docs/add-a-concept.md", "toml")
    tomllib.loads(text)
    pets = parse_concept(text, "guide")
    assert measure("weat", glove, pets.test("pleasantness"), WordPolicy(missing="drop")).p
    assert measure("direct-bias", glove, pets).value


ELSEWHERE = {"from-wefe.md"}
"""Pages whose Python needs files of its own: test_from_wefe.py runs it."""
PYTHON = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    if page.name not in ELSEWHERE
    for number, code in enumerate(blocks(str(page.relative_to(ROOT)), "python"), 1)
]


@pytest.mark.usefixtures("short_audits", "short_recommendations", "files_of_the_docs")
@pytest.mark.parametrize("code", PYTHON)
def test_python_can_be_pasted_as_it_stands(code: str) -> None:
    if "bert-folder" in code:
        Path("bert-folder").symlink_to(real_model("minilm"))
    registries: tuple[Registry[Any], ...] = (MEASURES, DEBIASERS)
    try:
        exec(code, {"__name__": "pasted"})
    finally:
        for registry in registries:
            for name in [entry.name for entry in registry if not entry.is_ours]:
                registry.declared.pop(name)


@pytest.fixture(scope="module")
def made_files(tmp_path_factory: pytest.TempPathFactory, glove: WordVectors) -> Path:
    """The files that the examples open."""
    folder = tmp_path_factory.mktemp("docs")
    save(glove.head(15_000), folder / "glove.6B.300d.txt")
    unslant.audit(glove, "gender").save(folder / "audit.json")
    [test_set] = blocks("docs/add-a-test-set.md", "toml")
    (folder / "mine.toml").write_text(test_set)
    return folder


@pytest.fixture
def files_of_the_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_files: Path) -> None:
    """An empty folder with these files alone, so that no example finds another's."""
    monkeypatch.chdir(tmp_path)
    for made in made_files.iterdir():
        shutil.copy(made, tmp_path)


def pasted(page: str) -> None:
    [code] = blocks(page, "python")
    exec(code, {"__name__": "pasted"})


def test_the_metric_in_the_guide_measures(glove: WordVectors) -> None:
    try:
        pasted("docs/add-a-metric.md")
        mean, median = (
            measure(f"mean-length(of={of})", glove, concept("gender")) for of in ("mean", "median")
        )
        assert mean.value != median.value
        with pytest.raises(ExpressionError, match="at least 1"):
            measure("mean-length(power=0)", glove, concept("gender"))
    finally:
        MEASURES.declared.pop("mean-length", None)


def test_the_probe_in_the_guide_asks_any_scorer() -> None:
    class Scorer:
        def score(self, texts: list[str]) -> list[float]:
            return [0.25 if " her " in text else 0.0 for text in texts]

    try:
        pasted("docs/add-a-probe.md")
        [result] = unslant.probe("job-sentiment", Scorer()).record.results
        assert result.now.value == 0.25
    finally:
        MEASURES.declared.pop("job-sentiment", None)


def test_the_method_in_the_guide_fits(glove: WordVectors) -> None:
    try:
        pasted("docs/add-a-method.md")
        assert fit("half(share=0.3) | misp", glove, concept("gender")).affine is not None
    finally:
        DEBIASERS.declared.pop("half", None)


@pytest.mark.parametrize(
    ("page", "registry", "name"),
    [
        ("docs/add-a-metric.md", MEASURES, "mean-length"),
        ("docs/add-a-probe.md", MEASURES, "job-sentiment"),
        ("docs/add-a-method.md", DEBIASERS, "half"),
    ],
)
@pytest.mark.usefixtures("built_in")
def test_the_component_in_a_guide_keeps_the_contracts_of_components(
    page: str, registry: Registry[Any], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        pasted(page)
        entry = registry.entry(name)
        component_examples.test_a_component_has_a_formula_a_warning_and_a_citation(entry)
        component_examples.test_every_example_can_be_typed_and_is_python(entry)
        component_examples.run_python(entry, capsys)
    finally:
        registry.declared.pop(name, None)


def test_every_method_in_the_table_of_all_methods_exists() -> None:
    text = (ROOT / "docs" / "methods-table.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)
    assert len(names) >= 20
    for name in names:
        chain_of(name.replace("\\|", "|"))


def modules_with_examples() -> list[str]:
    names = [item.name for item in pkgutil.walk_packages(unslant.__path__, "unslant.")]
    finder = doctest.DocTestFinder()
    found = []
    for name in ["unslant", *names]:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != "torch":  # which only some modules need
                raise
            continue
        if any(item.examples for item in finder.find(module)):
            found.append(name)
    return found


@pytest.mark.parametrize("name", modules_with_examples())
def test_every_example_in_a_docstring_is_true(name: str) -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    outcome = doctest.testmod(importlib.import_module(name), optionflags=flags)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def commands() -> list[str]:
    found = [
        re.sub(r"\s+#.*", "", line[1]).strip()
        for page in PAGES
        for language, block in re.findall(r"^```(\S*)\n(.*?)^```", page.read_text(), re.S | re.M)
        if language != "text"
        for line in re.finditer(r"^ *(?:\$ |- run: )?(unslant .*)$", block, re.M)
    ]
    return sorted(set(found))


@pytest.mark.parametrize("command", commands())
def test_every_command_in_the_documentation_can_be_typed(command: str) -> None:
    words = shlex.split(re.split(r" (?:[|>]|&&) ", re.sub(r'"[^"]*"', _hidden, command))[0])
    parsed([word.replace("\0", "|").replace("\1", ">") for word in words[1:]])


def _hidden(text: re.Match[str]) -> str:
    """A quoted text in which bars are no pipes."""
    return text[0].replace("|", "\0").replace(">", "\1")


ONLY_READ = {
    "from-wefe.md": "WEFE's own code, which needs its package and its downloads",
    "languages.md": "needs spaCy's French vectors",
    "walk.md": "a fragment: the model and its interventions are the reader's",
    "models.md": "test_models_page.py runs it, block after block",
}
"""Pages with Python that is not run here, and why: their blocks are marked py, not python."""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_python_that_is_not_run_is_python_at_least(page: Path) -> None:
    found = blocks(str(page.relative_to(ROOT)), "py")
    assert not found or page.name in ONLY_READ
    for code in found:
        compile(code, page.name, "exec")
