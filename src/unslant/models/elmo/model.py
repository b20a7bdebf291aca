"""An ELMo as a resource: the same surface as any other language model."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from unslant.core.errors import UnslantError, refuse_one_text
from unslant.core.places import Place
from unslant.models.elmo.folder import NLI, ElmoFolder, network, read_elmo_folder
from unslant.models.elmo.options import ElmoOptions, spelled
from unslant.models.language.base import LanguageModel
from unslant.models.language.layout import Site
from unslant.models.language.tokens import MARK, Pieces, Spelled, checked_text, shortened
from unslant.predictors.protocols import NliModel, method_of

if TYPE_CHECKING:
    from unslant.models.nli.elmo_trained import ElmoNli


# Texts as ELMo's tokens: the words between spaces, each spelled in characters.

_WORD = re.compile(r"\S+")
MOST_TOKENS = 5_000
"""An LSTM has no limit of its own, but its states at every token have to fit into memory."""


class ElmoTokens:
    """Words separated by spaces; nothing is padded and nothing cut off.

    ELMo was trained on text with separate punctuation, as in ``This is a nurse .``; in
    ``This is a nurse.`` the last token is ``nurse.``, which is another word to it. A marked word is
    a token of its own in any case: ``a [[nurse]].`` has the tokens ``a``, ``nurse`` and ``.``
    """

    def __init__(self, *, name: str, length: int) -> None:
        self._name = name
        self._spelled = lru_cache(maxsize=1 << 16)(lambda word: spelled(word, length))

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """Empty: any word can be spelled, so there is no vocabulary."""
        return {}

    @property
    def most(self) -> int:
        """How many tokens a text may have."""
        return MOST_TOKENS

    def spans(self, texts: Sequence[str]) -> list[tuple[tuple[int, int] | None, ...]]:
        """The character span of each token of each text."""
        refuse_one_text(texts, self._name)
        return [tuple(match.span() for match in _WORD.finditer(text)) for text in texts]

    def of(self, texts: Sequence[str]) -> list[Pieces]:
        """The tokens of each text; a text without any, or with too many, is named."""
        refuse_one_text(texts, self._name)
        return [self._of(text) for text in texts]

    def _of(self, text: str) -> Pieces:
        words, asked = words_of(checked_text(text, self._name))
        if len(words) > MOST_TOKENS:
            raise UnslantError(
                f'"{shortened(text)}" has {len(words):,} words; {self._name} reads at most '
                f"{MOST_TOKENS:,}. Shorten or split it."
            )
        if not asked and MARK.search(text):
            raise UnslantError(f'No word is between the marks in "{shortened(text)}".')
        ids: tuple[Spelled, ...] = tuple(self._spelled(word) for word in words)
        return Pieces(ids, tuple(asked))


def words_of(text: str) -> tuple[list[str], range]:
    """The tokens of a text, and which of them are the first marked word.

    >>> words_of("a [[nurse]].")
    (['a', 'nurse', '.'], range(1, 2))
    """
    match = MARK.search(text)
    if match is None:
        return text.split(), range(0)
    before, word = text[: match.start()].split(), match[1].split()
    after = MARK.sub(r"\1", text[match.end() :]).split()
    return [*before, *word, *after], range(len(before), len(before) + len(word))


# Which places an ELMo has and how wide they are, from its options alone.

_LAST = "this is the model's output; there are no later weights to fold into"
_RESIDUAL = "the next layer adds it to its own output along a path that has no weights"
_SHARED = "the beginning and end of a sentence pass through the same weights and stay as they are"


@dataclass(frozen=True, kw_only=True)
class ElmoLayout:
    """Places: ``chars``, ``lstm:1`` to the last, ``output:0`` to the last, and ``all``.

    ``chars`` is the character network's output before any context, and goes into both LSTMs: to
    act there is the projection of "layer 1" of Dev et al. (2020). ``lstm:n`` is a layer with both
    directions concatenated, after its skip connection; to act there changes all that follows.

    ``output:n`` is a layer's output, ``output:0`` the characters concatenated with themselves.
    An eraser there acts after the whole pass ("first the original mechanism, then projecting", Dev
    et al. 2020) and on this layer alone, so that each layer can have one of its own; what goes from
    layer to layer stays as it was.

    ``all`` is what a user of ELMo gets without training weights for it: the mean of the outputs. An
    affine eraser at ``all`` is one at every output, because the mean of the treated layers is the
    treated mean.
    """

    name: str
    options: ElmoOptions
    kind: str = "elmo"

    @property
    def layers(self) -> int:
        """How many LSTM layers there are."""
        return self.options.layers

    @property
    def width(self) -> int:
        """The width of the model's output."""
        return 2 * self.options.width

    def site(self, place: Place) -> Site:
        """The site of a place in this model, or an error that says why it has no such place."""
        if place.tokens == "cls":
            raise self._absent(place, "an ELMo has no [CLS]; use [all], [word] or [last]")
        if place.part == "chars":
            return Site(
                place=place,
                module="chars",
                side="output",
                width=self.options.width,
                depth=0,
                why_not_folded=_SHARED,
            )
        if place.part == "lstm":
            assert place.index is not None
            number = place.index if place.index > 0 else self.layers + 1 + place.index
            if place.index == 0 or not 1 <= number <= self.layers:
                also = " What goes into the first is called chars" if place.index == 0 else ""
                why = f"its LSTM layers are 1 to {self.layers}, or -1 to the last.{also}"
                raise self._absent(place, why.rstrip("."))
            return Site(
                place=place,
                module=f"lstm.{number - 1}",
                side="output",
                width=self.width,
                depth=number,
                why_not_folded=_LAST if number == self.layers else _RESIDUAL,
            )
        if place.part == "output":
            assert place.index is not None
            number = place.index if place.index >= 0 else self.layers + 1 + place.index
            if not 0 <= number <= self.layers:
                why = f"its outputs are 0 to {self.layers}, or -1 to the last"
                raise self._absent(place, why)
            return Site(
                place=place,
                module=f"outputs.{number}",
                side="output",
                width=self.width,
                depth=self.layers + 1,
                why_not_folded=_LAST,
            )
        if place.part == "all":
            return Site(
                place=place,
                module="mean",
                side="output",
                width=self.width,
                depth=self.layers + 2,
                why_not_folded=_LAST,
            )
        known = ", ".join(str(known) for known in self.places())
        raise self._absent(place, f"it is an ELMo, whose places are {known}")

    def _absent(self, place: Place, why: str) -> UnslantError:
        return UnslantError(f"{self.name} has no place {place}: {why}.")

    def places(self) -> list[Place]:
        """Every place that an eraser could act at, from the first to the last."""
        inside = [Place("chars"), *(Place("lstm", number) for number in range(1, self.layers + 1))]
        return [*inside, *self.outputs(), Place("all")]

    def outputs(self) -> list[Place]:
        """Every layer as it is given out, the characters first."""
        return [Place("output", number) for number in range(self.layers + 1)]


class ElmoModel(LanguageModel):
    """An ELMo in the official layout (Peters et al. 2018).

    Every text begins without memory of others, so that no result depends on earlier texts;
    official code carries the LSTMs' states from batch to batch.
    """

    folder: ElmoFolder
    layout: ElmoLayout

    def read_network(self) -> Any:
        """The network with every parameter from the file."""
        with self.folder.files.unchanged(self.folder.weights.name) as path:
            return network(path, self.folder.options)

    def head(self, head: str) -> NoReturn:
        """An ELMo has none: its released weights stop before the softmax."""
        raise UnslantError(
            f"{self.name} has no {head} head: the released weights of an ELMo end before it. Use a "
            f"model that was saved with its head."
        )

    def predictor(self, need: type[Any]) -> Any:
        """The model as what a probe asks: vectors, or answers of an inference model trained on it.

        Another ELMo than the one it was trained on is refused.
        """
        if super().can_answer(need):
            return super().predictor(need)
        if need is not NliModel:
            raise UnslantError(
                f"{self.name} is an ELMo, whose released weights have no head for "
                f"{method_of(need)}. Use a model that was saved with its language-model head."
            )
        if self.nli is None:
            raise UnslantError(
                f"{self.name} has no inference model. Train one with: unslant train nli "
                f"{self.original.name} --data FOLDER -o FOLDER"
            )
        from unslant.models.nli.elmo_asking import ElmoInference

        return ElmoInference(self, self.nli)

    def can_answer(self, need: type[Any]) -> bool:
        """Whether it has this ability itself, or through an inference model."""
        return need is NliModel or super().can_answer(need)

    @cached_property
    def nli(self) -> "ElmoNli | None":
        """The inference model in its folder, read once; None if there is none."""
        if self._origin is not None:
            return self._origin.nli
        if self.folder.nli is None:
            return None
        from unslant.models.nli.elmo_trained import load_elmo_nli

        with self.folder.files.unchanged(NLI) as path:
            return load_elmo_nli(path)

    @property
    def default_place(self) -> Place:
        """The place of a text's own vector: the mean over layers and words."""
        return Place("all", tokens="all")


def load_elmo(path: str | Path) -> ElmoModel:
    """The ELMo in a folder with options.json and HDF5 weights, of which only headers are read.

    If an inference model was trained on it with erasers in effect, they act in it.
    """
    folder = read_elmo_folder(Path(path))
    model = ElmoModel(
        folder,
        ElmoLayout(name=folder.name, options=folder.options),
        ElmoTokens(name=folder.name, length=folder.options.word_length),
    )
    if model.nli is None or not model.nli.intervention.steps:
        return model
    model.nli.intervention.check(model)
    return model.intervened(model.nli.intervention)
