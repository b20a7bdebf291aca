"""``unslant heads``: which heads of attention a bias hangs on."""

from typing import Annotated, Literal

import typer

from unslant.cli import shared
from unslant.cli.layers import ModelArgument
from unslant.cli.outputs import HtmlOption, OverwriteOption, RecordOption, check_new, show, written
from unslant.core.errors import UnslantError
from unslant.models.language.model import TransformerModel
from unslant.studies.contrast_sets import contrasts_from, score_for
from unslant.studies.head_map import CHECKED, head_map
from unslant.studies.resources import model_from


def heads(
    model: ModelArgument,
    items: Annotated[
        str,
        typer.Option(
            "--set", help="stereoset, crows-pairs, or a table of sentence pairs in its layout."
        ),
    ] = "stereoset",
    kinds: Annotated[
        str, typer.Option("--kinds", help="Only these kinds of bias, for sets of pairs: gender")
    ] = "",
    check: Annotated[
        int, typer.Option("--check", help="How many heads to ablate, the most suspicious first.")
    ] = CHECKED,
    to: Annotated[
        Literal["mean", "zero"], typer.Option("--to", help="What an ablated head gives.")
    ] = "mean",
    html: HtmlOption = None,
    record_file: RecordOption = None,
    overwrite: OverwriteOption = False,
    as_json: shared.JsonOption = False,
    seed: Annotated[int, typer.Option("--seed", help="The seed of halves and resamples.")] = 0,
) -> None:
    """Map which heads of a language model a bias hangs on: ranked by gradient, then ablated.

    Example: unslant heads bert-folder --set crows-pairs --kinds gender --html heads.html
    """
    check_new(html, overwrite=overwrite, ending=".html")
    check_new(record_file, overwrite=overwrite, ending=".json")
    contrasts = contrasts_from(items, kinds)
    with shared.progress_bar() as progress:
        found = model_from(model)
        if not isinstance(found, TransformerModel):
            raise UnslantError(f"{found.name} has no heads of attention.")
        done = head_map(
            score_for(found, contrasts),
            found,
            contrasts,
            check=check,
            to_zero=to == "zero",
            seed=seed,
            progress=progress,
        )
    written(done, record_file, html)
    show(done, {"Record": record_file, "Report": html}, as_json=as_json)
