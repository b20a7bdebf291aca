"""``unslant inspect places``: where in a language model one can measure and intervene."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from unslant.cli import shared
from unslant.cli.listing import show_listing
from unslant.core.places import Place
from unslant.models.language.layout import Site
from unslant.models.language.recipes import fitting
from unslant.studies.resources import model_from


def run(
    model: Annotated[str, typer.Argument(help="The folder of a language model, or its name.")],
    every: Annotated[
        bool, typer.Option("--all", help="One row for each place, not for each kind of place.")
    ] = False,
    as_json: shared.JsonOption = False,
) -> None:
    """List the recipes that fit a language model, its places, and whether an eraser there folds.

    An eraser that folds goes into the weights exactly, so that the debiased model loads without
    Unslant. Nothing but headers is read.

    Example: unslant inspect places bert-folder
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
    shared.out.print(f"{loaded.name}: {layout.kind}, {layout.layers} layers × {layout.width}")
    recipes = fitting(layout, loaded.name)
    if recipes:
        shared.out.print("Recipes for --with:")
        described = [(name, f"{recipe.about} ({recipe.cites})") for name, recipe in recipes.items()]
        show_listing(("recipe", "what it does"), described, main=1)
    shared.out.print(f"Places for --with, as in leace@{sites[-1].place}:")
    groups = [[site] for site in sites] if every else _grouped(sites)
    rows = [
        (
            _named([site.place for site in group]),
            str(group[0].width),
            str(_heads(layout, group[0].place) or ""),
            f"no: {group[0].why_not_folded}" if group[0].why_not_folded else "yes",
        )
        for group in groups
    ]
    show_listing(("place", "width", "heads", "folds into the weights"), rows, typed=(0, 1, 2))
    shared.out.print(
        "Tokens in brackets say what is read: [cls], [last], [all] (the mean, also without "
        "brackets) or [word]. Heads count from 0, as in layer:2.query:0, and layers also from the "
        "end, as in layer:-1."
        + ("" if every else " One row for each place: unslant inspect places MODEL --all"),
        markup=False,
    )


def _grouped(sites: Sequence[Site]) -> list[list[Site]]:
    """Places that differ by nothing but their number, with the same width and reason."""
    groups: dict[tuple[str, int, str], list[Site]] = {}
    for site in sites:
        place = site.place if site.place.index is None else replace(site.place, index=0)
        groups.setdefault((str(place), site.width, site.why_not_folded), []).append(site)
    return list(groups.values())


def _named(places: Sequence[Place]) -> str:
    """The place, or the first and the last of several, such as ``layer:1.query to layer:6.query``.

    >>> _named([Place("layer", n) for n in (1, 2, 3)])
    'layer:1 to layer:3'
    """
    return str(places[0]) if len(places) == 1 else f"{places[0]} to {places[-1]}"


def _heads(layout: object, place: Place) -> int | None:
    if place.component is None:
        return None
    is_key = place.component in ("key", "value")
    return int(getattr(layout, "key_heads" if is_key else "heads", 0)) or None
