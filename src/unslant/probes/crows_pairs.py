"""The CrowS-Pairs probe."""

from pathlib import Path
from typing import Annotated, Any, Literal

from unslant.core.errors import UnslantError
from unslant.core.example import Example
from unslant.core.parameters import at_least
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.models.language.model import load_model
from unslant.predictors.protocols import Likelihood
from unslant.probes.likelihood.asking import ask_pairs, identity, is_decoder, self_debiased
from unslant.probes.likelihood.pair_scores import PairScores, declared, exhibits
from unslant.probes.likelihood.pair_sets import CROWS, Scored, SentencePairSet, pair_set


@probe(
    "crows-pairs",
    cites="nangia-2020",
    example=Example(of="MODEL", data="crows-pairs"),
    needs=Likelihood,
    scores=declared(
        "crows-pairs",
        says="How often is the more stereotyped sentence of a pair more likely?",
        misleads="A model that prefers frequent words, or words of fewer pieces, is not at 50 "
        "without any stereotype: read the excess over the controls. Many pairs are flawed "
        "(Blodgett et al. 2021), and nobody knows what an unbiased score on them is.",
    ),
)
class CrowsPairs:
    """How often is the more stereotyped sentence of a pair more likely?

        s(sentence) = Σ log p(word | the rest) over the words that both sentences of a pair have
        score = share of pairs in which s(stereotyped) > s(less stereotyped), in percent

    For decoders s is the likelihood of the whole sentence. A word is scored from left to right, so
    that a word of several predictable pieces gains nothing; ties count as ½. Words with apostrophes
    and hyphens are one, unlike the words of most tokenizers, which "tokenizer-words" takes as Kauf
    and Ivanova (2023) and minicons do. ``scoring`` =
    "published" hides one piece at a time, rounds to three decimals and counts ties against the
    stereotype, as Nangia et al. (2020) do. Words are compared in the texts, so every model is
    scored on the same ones.
    """

    pairs: Annotated[str, "crows-pairs, stereoset-intra, or a file in CrowS-Pairs' layout."] = CROWS
    kinds: Annotated[str, "Only these kinds of bias, separated by commas."] = ""
    scoring: Annotated[
        Literal["words", "tokenizer-words", "published"],
        "Words of the text ('don't' is one), words of the model's tokenizer, or as the authors of "
        "CrowS-Pairs score.",
    ] = "words"
    scored: Annotated[
        Literal["auto", "shared", "changed", "all"],
        "Which words are scored: auto is shared for masked models and all for decoders.",
    ] = "auto"
    matched: Annotated[
        int, at_least(0), "Matched control sentences for each pair; with 0 there is no excess."
    ] = 4
    self_debias: Annotated[
        str, "Apply Self-Debias for these kinds of bias, separated by commas."
    ] = ""
    decay: Annotated[float, at_least(0), "The decay constant of Self-Debias."] = 50.0
    examples: Annotated[int, at_least(1), "How many of the most stereotyped pairs to show."] = 5
    seed: Annotated[int, at_least(0), "The seed of controls and resamples."] = 0

    def run(
        self, resource: Likelihood, subject: SentencePairSet | None, setting: Setting
    ) -> Findings:
        """Score every sentence and every control once."""
        asked = self.questions() if subject is None else subject
        is_published = self.scoring == "published"
        if is_published and is_decoder(resource):
            raise UnslantError(
                "CrowS-Pairs' authors score masked models only. Use scoring=words (--scoring "
                "words) for a decoder."
            )
        model = self_debiased(resource, self.self_debias, self.decay)
        usual: Scored = "all" if is_decoder(resource) else "shared"
        scored: Scored = usual if self.scored == "auto" else self.scored
        answers = ask_pairs(
            model,
            [(pair.more, pair.less) for pair in asked.pairs],
            scored,
            "pieces" if self.scoring == "published" else self.scoring,
            controls=self.matched,
            seed=self.seed,
            progress=setting.progress,
        )
        found = tuple(
            PairScores(
                name="crows-pairs",
                title="Preference for stereotyped sentences",
                asked=asked,
                answers=answers,
                seed=self.seed,
                values_only=setting.values_only,
                is_published=is_published,
                way=f"{self.scoring} {scored} {self.matched}",
                inputs=identity(model) if self.self_debias else {},
            ).measurements()
        )
        shown = (
            ()
            if setting.values_only
            else exhibits("crows-pairs", found, asked, answers, self.examples)
        )
        return Findings(measurements=found, exhibits=tuple(shown), left_out=asked.left_out)

    def questions(self) -> SentencePairSet:
        """The pairs."""
        return pair_set(self.pairs, self.kinds, is_by_changed=self.scored == "changed")

    def loaded(self, path: Path) -> Any:
        """The model in a folder, with its language-model head."""
        return load_model(path).predictor(Likelihood)
