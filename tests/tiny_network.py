"""A network of a few blocks whose every number is known, as a language model.

Each word is one piece. Its vector holds its group in the first component, ± 1; two signs whose
product is the group in the next two, which no linear classifier can use; and noise. A network that
``recomputes`` adds that product to the first component in its second block.
"""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from tests.made_erasers import made_of
from unslant.concepts import Concept
from unslant.concepts.read import parse_concept
from unslant.core.places import Place
from unslant.erasers import EachVector
from unslant.erasers.linear import LowRank
from unslant.models.language.base import LanguageModel
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.layout import Site
from unslant.models.language.tokens import Pieces, without_marks

WORDS = 48
WIDTH = 8


def tiny_concept(words: int = WORDS) -> Concept:
    """Two groups of words that only this network knows."""
    lists = [", ".join(f'"{side}{n}"' for n in range(words)) for side in "ab"]
    return parse_concept(
        f'name = "side"\ngroups = ["a", "b"]\n[words]\na = [{lists[0]}]\nb = [{lists[1]}]\n',
        "side.toml",
    )


def tiny_model(
    seed: int, *, recomputes: bool, erased: bool = True, words: int = WORDS
) -> LanguageModel:
    """A model of three blocks, by default with the group erased after the first."""
    import torch

    rng = np.random.default_rng(seed)
    group = np.repeat([1.0, -1.0], words)
    rows = rng.normal(size=(2 * words, WIDTH))
    sign = rng.choice([-1.0, 1.0], 2 * words)
    rows[:, 0] = 2 * group + 0.3 * rows[:, 0]
    if recomputes:
        rows[:, 1], rows[:, 2] = sign, sign * group

    class Block(torch.nn.Module):  # type: ignore[misc]
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

        def forward(self, state: Any) -> Any:
            if self.number == 1 and recomputes:
                product = state[..., 1] * state[..., 2]
                state = torch.cat([state[..., :1] + product[..., None], state[..., 1:]], dim=-1)
            return state + 0.01 * torch.tanh(state)

    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding.from_pretrained(torch.tensor(rows).float())
            self.block = torch.nn.ModuleList([Block(number) for number in range(3)])

        def forward(self, input_ids: Any) -> Any:
            state = self.table(input_ids)
            for block in self.block:
                state = block(state)
            return state

    def site(place: Place) -> Site:
        depth = -1 if place.part == "embeddings" else (place.index or 0)
        module = "table" if depth < 0 else f"block.{depth - 1}"
        return Site(place=place, module=module, side="output", width=WIDTH, depth=depth)

    class Tokens:
        def of(self, texts: list[str]) -> list[Pieces]:
            plain = [without_marks(text) for text in texts]
            return [Pieces((words * (t[0] == "b") + int(t[1:]),), (0,)) for t in plain]

    layout = SimpleNamespace(site=site, layers=3, kind="tiny", width=WIDTH, heads=1, key_heads=1)
    folder = SimpleNamespace(name=f"tiny{seed}", sha256=lambda: f"{seed} {recomputes}")
    steps: tuple[AtPlace, ...] = ()
    if erased:
        axis = np.eye(WIDTH)[:1]
        eraser = made_of(EachVector(LowRank(axis, axis)), name="axis")
        steps = (AtPlace(Place("layer", 1), eraser),)

    class Tiny(LanguageModel):
        default_place = Place("layer", -1)

        def read_network(self) -> Any:
            return Network().eval()

        def head(self, head: Any) -> Any:
            raise AssertionError("it has none")

    return Tiny(
        cast(Any, folder), cast(Any, layout), cast(Any, Tokens()), None, Intervention(steps)
    )
