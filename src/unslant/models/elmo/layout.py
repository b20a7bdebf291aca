"""Which places an ELMo has and how wide they are, from its options alone."""

from dataclasses import dataclass

from unslant.core.errors import UnslantError
from unslant.core.places import Place
from unslant.models.elmo.options import ElmoOptions
from unslant.models.language.layout import Site

_LAST = "this is the model's output; there are no later weights to fold into"
_RESIDUAL = "the next layer adds it to its own output along a path that has no weights"
_SHARED = "the beginning and end of a sentence pass through the same weights and stay as they are"


@dataclass(frozen=True, kw_only=True)
class ElmoLayout:
    """Places: ``chars``, ``lstm:1`` to the last, ``output:0`` to the last, and ``all``.

    ``chars`` is what the characters of a word give before any context, and goes into both LSTMs: to
    act there is the projection of "layer 1" of Dev et al. (2020). ``lstm:n`` is a layer with both
    directions beside each other, after its skip connection; to act there changes all that follows.

    ``output:n`` is a layer as it is given out, ``output:0`` the characters twice beside each other.
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
        """The width of what the model gives."""
        return 2 * self.options.width

    def site(self, place: Place) -> Site:
        """Where a place is in this model, or one sentence that says why it has no such place."""
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
