"""The AUL probe, with or without weights by attention."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from unslant.core.example import Example
from unslant.core.parameters import at_least
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.language.model import load_model
from unslant.predictors.protocols import Likelihood, Masking
from unslant.probes.likelihood.asking import ask_pairs, identity, self_debiased
from unslant.probes.likelihood.pair_scores import PairScores, declared, exhibits
from unslant.probes.likelihood.pair_sets import CROWS, SentencePairSet, pair_set

_MASKING: Mapping[str, Masking] = {
    "none": "none",
    "attention": "attention",
    "published": "published-attention",
}


@probe(
    "aul",
    cites="kaneko-2022",
    example=Example(of="MODEL", data="crows-pairs"),
    needs=Likelihood,
    scores=declared(
        "aul",
        says="How often is the more stereotyped sentence of a pair more likely, unmasked?",
        misleads="A model that sees every word mostly repeats it, so differences are small, and "
        "the changed words themselves count: frequent ones are repeated more surely. Read the "
        "excess over the controls.",
    ),
)
class Aul:
    """How often is the more stereotyped sentence of a pair more likely, unmasked?

        AUL = (1/n) Σ log p(piece | the whole sentence) over the n pieces of the sentence
        score = share of pairs in which AUL(stereotyped) > AUL(less stereotyped), in percent

    With ``weighting`` = attention (AULA) a piece counts as much as it receives attention, averaged
    over layers, heads and pieces; the weights sum to 1. The authors leave them as they are
    ("published"), which favours longer sentences. For a decoder, p(piece | what precedes).
    """

    pairs: Annotated[str, "crows-pairs, stereoset-intra, or a file in CrowS-Pairs' layout."] = CROWS
    kinds: Annotated[str, "Only these kinds of bias, separated by commas."] = ""
    weighting: Annotated[
        Literal["none", "attention", "published"],
        "AUL (none), AULA with weights that sum to 1 (attention), or AULA as published.",
    ] = "none"
    matched: Annotated[
        int, at_least(0), "Matched control sentences for each pair; with 0 there is no excess."
    ] = 8
    self_debias: Annotated[
        str, "Apply Self-Debias for these kinds of bias, separated by commas."
    ] = ""
    decay: Annotated[float, at_least(0), "The decay constant of Self-Debias."] = 50.0
    examples: Annotated[int, at_least(1), "How many of the most stereotyped pairs to show."] = 5
    seed: Annotated[int, at_least(0), "The seed of controls and resamples."] = 0

    def run(
        self, resource: Likelihood, subject: SentencePairSet | None, setting: Setting
    ) -> Findings:
        """Score every sentence and every control in one pass each."""
        asked = self.questions() if subject is None else subject
        model = self_debiased(resource, self.self_debias, self.decay)
        answers = ask_pairs(
            model,
            [(pair.more, pair.less) for pair in asked.pairs],
            "all",
            _MASKING[self.weighting],
            controls=self.matched,
            seed=self.seed,
            progress=setting.progress,
        )
        found = tuple(
            PairScores(
                name="aul",
                title="Preference for stereotyped sentences",
                asked=asked,
                answers=answers,
                seed=self.seed,
                values_only=setting.values_only,
                way=f"{self.weighting} {self.matched}",
                inputs=identity(model) if self.self_debias else {},
            ).measurements()
        )
        shown = () if setting.values_only else exhibits("aul", found, asked, answers, self.examples)
        return Findings(measurements=found, exhibits=tuple(shown), left_out=asked.left_out)

    def questions(self) -> SentencePairSet:
        """The pairs."""
        return pair_set(self.pairs, self.kinds)

    def loaded(self, path: Path) -> Any:
        """The model in a folder, with its language-model head."""
        return load_model(path).predictor(Likelihood)
