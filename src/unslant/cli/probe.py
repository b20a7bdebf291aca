"""``unslant probe NAME``: the questions of any probe, put to a model or to vectors."""

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup
from typer.main import get_command as command_of

from unslant.cli import shared
from unslant.cli.lazy_commands import Lazy
from unslant.cli.outputs import (
    HtmlOption,
    OverwriteOption,
    RecordOption,
    check_new,
    show,
    written,
)
from unslant.concepts import WordPolicy
from unslant.core.errors import UnknownNameError, UnslantError
from unslant.core.expression import Call
from unslant.core.parameters import Parameter, parameters_of
from unslant.core.registry import Entry
from unslant.measures.registry import MEASURES, Declared, measure_from, probes
from unslant.methods.chains import chain_of
from unslant.probes.abilities import (
    HasDefault,
    KnowsFolders,
    LoadsModel,
    ReadsVectors,
    Retrains,
)
from unslant.probes.export import check_ending, sheet_of, write_rows
from unslant.studies.probe import CONTROLS, probe
from unslant.studies.resources import names_model
from unslant.studies.tunings import refuse_tunings

_NEEDS = {
    "compare": ("method", "--with"),
    "controls": ("compare", "--compare"),
    "concept": ("method", "--with"),
    "fit_contexts": ("method", "--with"),
    "case": ("method", "--with"),
    "skip_bad": ("retrain", "--retrain"),
}
"""Options that have no effect alone, each with the option it needs."""
_NOT_EXPORTED = (
    *("method", "model", "baseline", "scores", "retrain", "missing", "html", "record"),
    *("examples", "resamples"),
)
"""Options about asking, which an export does not do."""


def _declared(
    *,
    method: shared.MethodOption = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Also ask before debiasing, and with random directions removed (or the same "
            "training without its debiasing term).",
        ),
    ] = False,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="The folder of a language model to compare one with."),
    ] = None,
    controls: Annotated[
        int | None,
        typer.Option(
            "--controls",
            help=f"With --compare: how many times to remove random directions ({CONTROLS} if "
            f"omitted), or to train without the debiasing term (1).",
            show_default=False,
        ),
    ] = None,
    concept: Annotated[
        str | None,
        typer.Option(
            "--concept",
            "-c",
            help="With --with: the concept to debias by (the set's own if omitted).",
            show_default=False,
            autocompletion=shared.complete_concept,
        ),
    ] = None,
    fit_contexts: shared.FitContextsOption = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", help="A trained model to ask instead of the built-in one."),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            "--scores", help="Answers made elsewhere: an export with a column for each answer."
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write the texts to this .csv or .jsonl, ask nothing."),
    ] = None,
    html: HtmlOption = None,
    record: RecordOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
    missing: Annotated[
        Literal["fail", "drop"],
        typer.Option("--missing", help="What to do about words missing from the vectors."),
    ] = "drop",
    case: shared.CaseOption = "lower",
    retrain: Annotated[
        Path | None,
        typer.Option("--retrain", help="Train a model for each space on the data in this folder."),
    ] = None,
    skip_bad: shared.SkipBadOption = False,
    seed: Annotated[int, typer.Option("--seed", help="The seed of random controls.")] = 0,
) -> None:
    """The options of probes in addition to their own parameters."""


_FOR_SOME = {"retrain": Retrains, "skip_bad": Retrains}
"""Options that only probes with this ability have."""


_ON_FILES = {"coref-scores": Lazy("coref_scores:coref_scores")}
"""Scores of predictions made elsewhere, which need no model."""


class _Probes(TyperGroup):
    """One command for each probe, built on first use, so that plug-ins cost nothing."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*(entry.name for entry in probes()), *_ON_FILES]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        known = {entry.name: entry for entry in probes()}
        if cmd_name in _ON_FILES:
            return _ON_FILES[cmd_name].load(cmd_name)
        if cmd_name in known:
            return _command(known[cmd_name])
        if cmd_name in MEASURES:
            raise UnslantError(f"{cmd_name} is a metric. Use: unslant measure {cmd_name}")
        raise UnknownNameError("probe", cmd_name, [*known, *_ON_FILES])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [(each.name, each.summary) for each in probes()]
        rows += [(name, command.summary) for name, command in _ON_FILES.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


app = typer.Typer(cls=_Probes, no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _probes() -> None:
    """Query a model, or a model that reads vectors, with a probe: how bias changes its answers.

    Example: unslant probe nli --set marked-attribute --with "hard | misp" --compare

    All about one: unslant list probes NAME
    """


def _command(entry: Entry[Declared]) -> Any:
    """The command of one probe: its parameters as options, and those that all probes share."""

    def run(context: typer.Context, **given: Any) -> None:
        _run(context, entry, given)

    options = [_keyword("context", typer.Context), *_options(entry)]
    run.__doc__ = f"{entry.summary}\n\n{_example(entry)}"
    run.__annotations__ = {option.name: option.annotation for option in options}
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    made = typer.Typer(rich_markup_mode=None, add_completion=False)
    made.command(entry.name)(run)
    return command_of(made)


def _keyword(name: str, hint: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)


def _example(entry: Entry[Declared]) -> str:
    begin = f"Example: unslant probe {entry.name}"
    is_quality = all(score.tells == "quality" for score in entry.facts.scores.values())
    by = "--concept gender --compare" if is_quality else "--compare"
    if issubclass(entry.component, ReadsVectors):
        return f'{begin} glove.txt --with "hard | misp" {by}'
    if issubclass(entry.component, LoadsModel):
        return f'{begin} MODEL --with "linear@layer:-1" {by}'
    return f"{begin} --scores answers.csv"


def _options(entry: Entry[Declared]) -> Iterator[inspect.Parameter]:
    yield _keyword("file", shared.FileArgument, None)
    own = parameters_of(entry.component)
    yield from map(_option, own)
    names = {parameter.name for parameter in own}
    for option in inspect.signature(_declared).parameters.values():
        ability = _FOR_SOME.get(option.name, object)
        if option.name not in names and issubclass(entry.component, ability):
            yield option


def _option(parameter: Parameter) -> inspect.Parameter:
    """A parameter of a probe as an option, with its limits in the help."""
    flag = f"--{parameter.name.replace('_', '-')}"
    flag = f"{flag}/{flag.replace('--', '--no-')}" if parameter.type is bool else flag
    said = f"{parameter.help} Must be {parameter.limits}." if parameter.limits else parameter.help
    hint: Any = Literal[parameter.choices] if parameter.choices else parameter.type
    show = parameter.default != "" and not parameter.is_required
    option = typer.Option(flag, help=said.strip(), show_default=show)
    default = ... if parameter.is_required else parameter.default
    return _keyword(f"own_{parameter.name}", Annotated[hint, option], default)


def _run(context: typer.Context, entry: Entry[Declared], given: dict[str, Any]) -> None:
    typed = {name for name in given if _is_given(context, name)}
    _refuse_idle(context, typed)
    own = {name.removeprefix("own_"): given[name] for name in given if name.startswith("own_")}
    chosen = tuple((key, value) for key, value in own.items() if f"own_{key}" in typed)
    call = Call(entry.name, kwargs=chosen)
    made: Any = measure_from(call)
    if given["export"] is not None:
        export_to_file(entry, made, given["export"], given["overwrite"], given["as_json"])
        return
    check_new(given["html"], overwrite=given["overwrite"], ending=".html")
    check_new(given["record"], overwrite=given["overwrite"], ending=".json")
    asked: Any = None
    is_model = given["file"] is not None and _is_model(made, given["file"])
    if given["method"] is not None and not is_model:
        refuse_tunings(given["method"], "a set of word vectors")
        chain_of(given["method"], "a set of word vectors")
    if is_model:
        asked = given["file"]
    elif given["file"] is not None or _reads_builtin(made, given):
        asked = shared.InputReading().vectors(given["file"])
    with shared.progress_bar() as progress:
        retraining = None
        if given.get("retrain") is not None:
            retraining = made.retraining(
                given["retrain"],
                seed=own.get("seed", given.get("seed", 0)),
                skip_bad=given["skip_bad"],
                progress=progress,
            )
            shared.say_skipped(retraining.skipped)
        done = probe(
            str(call),
            asked,
            model=given["model"],
            method=given["method"],
            concept=given["concept"],
            fit_contexts=given["fit_contexts"],
            policy=WordPolicy(missing=given["missing"], case=given["case"]),
            compare=given["compare"],
            baseline=given["baseline"],
            controls=given["controls"],
            retraining=retraining,
            scores=given["scores"],
            seed=given.get("seed"),
            progress=progress,
        )
    written(done, given["record"], given["html"])
    files = {"Record": given["record"], "Report": given["html"]}
    show(done, files, as_json=given["as_json"])


def _is_model(made: Any, path: str) -> bool:
    return (isinstance(made, KnowsFolders) and made.knows(path)) or names_model(path)


def _reads_builtin(made: Any, given: Mapping[str, Any]) -> bool:
    """Whether to read the built-in vectors: nothing else was named to answer."""
    if given["scores"] is not None or not isinstance(made, ReadsVectors):
        return False
    is_about_vectors = given["method"] or given["model"] or given.get("retrain")
    return bool(is_about_vectors) or not isinstance(made, HasDefault)


def _refuse_idle(context: typer.Context, given: set[str]) -> None:
    """Refuse options without effect, because the user expects one."""
    flags = {item.name: _shown(item.opts) for item in context.command.params}
    for name, (needed, flag) in _NEEDS.items():
        if name in given and needed not in given:
            raise UnslantError(
                f"{flags[name]} does nothing without {flag}. Add {flag}, or leave out "
                f"{flags[name]}."
            )
    if "overwrite" in given and not given & {"export", "html", "record"}:
        raise UnslantError(
            "--overwrite does nothing without --export, --html or --record. Leave it out."
        )
    for name in _NOT_EXPORTED:
        for given_as in {name, f"own_{name}"} & given if "export" in given else ():
            raise UnslantError(
                f"{flags[given_as]} does nothing with --export, which asks no model. Leave out one."
            )


def _shown(opts: list[str]) -> str:
    """The name of an option in messages: the first that is not a single letter."""
    return next((opt for opt in opts if opt.startswith("--")), opts[0])


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def export_to_file(
    entry: Entry[Declared], made: Any, path: Path, overwrite: bool, as_json: bool
) -> None:
    """Write what a probe asks to a file."""
    check_new(path, overwrite=overwrite)
    check_ending(path)
    assert not isinstance(entry.facts.needs, str)  # a probe needs a predictor
    columns, total, rows = sheet_of(made, entry.facts.needs)
    with shared.progress_bar() as progress:
        write_rows(columns, rows, total, path, progress)
    if as_json:
        shared.print_json({"rows": total, "file": str(path)})
    else:
        shared.say(f"{total:,} rows: {path}")
