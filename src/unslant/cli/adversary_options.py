"""The options of every command that can train against adversaries."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from unslant.cli import shared
from unslant.core.errors import UnslantError
from unslant.models.adversaries.settings import AdversarySettings, attributes_of

AdversaryOption = Annotated[
    str | None,
    typer.Option(
        "--adversary",
        help="Train so that these protected attributes, such as gender or gender,race, cannot be "
        "recovered from predictions.",
        show_default=False,
    ),
]
AlphaOption = Annotated[
    str | None,
    typer.Option(
        help="How hard to work against adversaries: 1, or 1:sqrt or 1:linear to grow to it, or "
        "gender=1,race=0.5. 0 only projects.",
        show_default=AdversarySettings.alpha,
    ),
]
AdversaryRateOption = Annotated[
    float | None,
    typer.Option(
        "--adversary-rate",
        help="The highest learning rate of adversaries.",
        show_default=str(AdversarySettings.learning_rate),
    ),
]
ProjectionOption = Annotated[
    str | None,
    typer.Option(
        help="How the gradient is made perpendicular to those of adversaries: whole, whole-sum, "
        "by-tensor, none.",
        show_default=AdversarySettings.projection,
    ),
]
FairnessOption = Annotated[
    str | None,
    typer.Option(
        help="odds: adversaries read predictions and true labels; parity: predictions alone.",
        show_default=AdversarySettings.fairness,
    ),
]
NetworkOption = Annotated[
    str | None,
    typer.Option(
        "--adversary-network",
        help="dense (two layers), dense:512 (their width), small (Zhang et al. 2018).",
        show_default=f"{AdversarySettings.network}:{AdversarySettings.width}",
    ),
]
ReadsOption = Annotated[
    str | None,
    typer.Option(
        "--adversary-reads",
        help="probabilities, or log-probabilities to tell .999 from .9999.",
        show_default=AdversarySettings.reads,
    ),
]
KeepOption = Annotated[
    str | None,
    typer.Option(
        help="With adversaries: keep the last epoch, or the best by held-out score.",
        show_default=AdversarySettings.keep,
    ),
]


def adversaries_of(
    adversary: AdversaryOption = None,
    alpha: AlphaOption = None,
    adversary_rate: AdversaryRateOption = None,
    projection: ProjectionOption = None,
    fairness: FairnessOption = None,
    adversary_network: NetworkOption = None,
    adversary_reads: ReadsOption = None,
    keep: KeepOption = None,
) -> AdversarySettings | None:
    """The adversaries that the options ask for; None without ``--adversary``."""
    given: dict[str, Any] = {
        "alpha": alpha,
        "learning_rate": adversary_rate,
        "projection": projection,
        "fairness": fairness,
        "network": adversary_network,
        "reads": adversary_reads,
        "keep": keep,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if adversary is None:
        if given:
            names = {"learning_rate": "adversary-rate"}
            names |= {name: f"adversary-{name}" for name in ("network", "reads")}
            first = next(iter(given))
            raise UnslantError(
                f"--{names.get(first, first)} does nothing without --adversary. Add --adversary."
            )
        return None
    if adversary_network is not None:
        given["network"], _, width = adversary_network.partition(":")
        if width:
            if not width.isdecimal() or given["network"] != "dense":
                raise UnslantError(
                    f"The network of adversaries must be dense, dense:512 or small, "
                    f'not "{adversary_network}".'
                )
            given["width"] = int(width)
    return AdversarySettings(attributes=attributes_of(adversary), **given)


def say_what_adversaries_found(record: Mapping[str, Any]) -> None:
    """Print what fresh adversaries recover, and what went wrong."""
    found = record.get("adversaries")
    if found is None:
        return
    for each in found["judged"].values():
        shared.say(f"Recovered from held-out predictions: {each['verdict']}")
    for each in found["warnings"]:
        shared.note(each)
