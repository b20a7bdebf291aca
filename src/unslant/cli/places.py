"""``unslant places``: where in a language model one can measure and intervene."""

from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.listing import show_listing
from unslant.core.places import Place
from unslant.models.language.recipes import RECIPES
from unslant.studies.resources import model_from


def run(
    model: Annotated[str, typer.Argument(help="The folder of a language model, or its name.")],
    as_json: shared.JsonOption = False,
) -> None:
    """List the places in a language model, how wide they are, and whether an eraser there folds.

    An eraser that folds goes into the weights exactly, so that the debiased model loads without
    Unslant. Nothing but headers is read.

    Example: unslant places bert-folder
    """
    loaded = model_from(model)
    layout = loaded.layout
    sites = [layout.site(place) for place in layout.places()]
    if as_json:
        shared.print_json(
            {
                "model": loaded.name,
                "architecture": layout.kind,
                "places": [
                    {
                        "place": str(site.place),
                        "width": site.width,
                        "heads": _heads(layout, site.place),
                        "folds": not site.why_not_folded,
                        "why_not": site.why_not_folded,
                    }
                    for site in sites
                ],
            }
        )
        return
    rows = []
    for site in sites:
        heads = _heads(layout, site.place)
        folds = f"no: {site.why_not_folded}" if site.why_not_folded else "yes"
        rows.append((str(site.place), str(site.width), str(heads or ""), folds))
    shared.out.print(f"{loaded.name}: {layout.kind}, {layout.layers} layers × {layout.width}")
    show_listing(("place", "width", "heads", "folds into the weights"), rows, typed=(0, 1, 2))
    shared.out.print(
        "Tokens in brackets say what is read: [cls], [last], [all] (the mean, also without "
        "brackets) or [word]. Heads count from 0, as in layer:2.query:0, and layers also from the "
        "end, as in layer:-1.",
        markup=False,
    )
    shared.out.print("Recipes for --with:")
    for name, recipe in RECIPES.items():
        shared.out.print(f"  {name}: {recipe.about} ({recipe.cites})", markup=False)


def _heads(layout: object, place: Place) -> int | None:
    if place.component is None:
        return None
    is_key = place.component in ("key", "value")
    return int(getattr(layout, "key_heads" if is_key else "heads", 0)) or None
