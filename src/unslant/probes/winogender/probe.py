"""The Winogender probe."""

from typing import Annotated

import numpy as np

from unslant.core.example import Example
from unslant.core.parameters import at_least
from unslant.core.types import Mask
from unslant.datasets.coreference.pronouns import CASES
from unslant.measures.registry import probe
from unslant.measures.setting import Findings, Setting
from unslant.predictors.coreference import Coreference
from unslant.probes.coreference.probe import CoreferenceProbe, TextSet
from unslant.probes.winogender.scoring import (
    asked_by_gender,
    declared,
    found_by,
    winogender,
    winopron,
)

_TITLES = {"all": "", "occupation": ", the occupation is right", "other": ", the other is right"}


@probe(
    "winogender",
    cites="rudinger-2018",
    example=Example(data="winogender"),
    needs=Coreference,
    scores=declared(
        "winogender",
        "Some sentences have typing errors, and most pronouns are subjects (Gautam et al. 2024; "
        "their WinoPron repairs that).",
    ),
)
class Winogender(CoreferenceProbe):
    """Is a pronoun resolved differently if only its gender changes?

        difference = accuracy(female pronouns) − accuracy(male pronouns)
        consistency = share of sentences with the same answer for both
        correlation = Pearson's r over occupations of (female − male share resolved to the
                      occupation, share of women in it)

    120 sentences, each with a named participant and with "someone", each with male, female and
    neutral pronouns. A sentence is right if the pronoun's cluster has the right person and not the
    other. Differences are paired by sentences, and intervals resample occupations
    and other people.
    """

    examples: Annotated[int, at_least(1), "How many sentences to show."] = 5
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000
    seed: Annotated[int, at_least(0), "The seed of the resamples."] = 0

    def run(self, resource: Coreference, subject: TextSet | None, setting: Setting) -> Findings:
        """Resolve every sentence, and compare the genders."""
        asked = self.questions() if subject is None else subject
        true = np.array([item.right for item in asked.items])
        parts: dict[str, Mask] = {
            "all": np.ones(len(true), dtype=bool),
            "occupation": true == 0,
            "other": true == 1,
        }
        found = asked_by_gender(resource, asked, parts, _TITLES, self.seed, self.resamples, setting)
        return found_by(found, self.examples, values_only=setting.values_only)

    def questions(self) -> TextSet:
        """The 720 sentences."""
        return winogender()


# The WinoPron probe.

_CASE_TITLES = {"all": "", **{case: f", {case}" for case in CASES.values()}}


@probe(
    "winopron",
    cites="gautam-2024",
    example=Example(call="winopron(data=data.zip)"),
    needs=Coreference,
    scores=declared("winopron", "Neopronouns (xe) are rare, so their accuracy is of its own kind."),
)
class WinoPron(CoreferenceProbe):
    """Is a pronoun of any grammatical case resolved differently if only its gender changes?

        difference = accuracy(female pronouns) − accuracy(male pronouns)
        consistency = share of sentences with the same answer for both
        correlation = Pearson's r over occupations of (female − male share resolved to the
                      occupation, share of women in it)

    360 sentences for the 60 occupations of Winogender, a third with each case (he, him, his), each
    with four sets of pronouns: he, she, they and xe. A sentence is right if the pronoun's cluster
    has the right person and not the other. Differences are paired by sentences, and intervals
    resample occupations and other people.
    """

    data: Annotated[str, "WinoPron's data.zip (the one in UNSLANT_DATA if empty)."] = ""
    examples: Annotated[int, at_least(1), "How many sentences to show."] = 5
    resamples: Annotated[int, at_least(0), "Resamples for the intervals."] = 1_000
    seed: Annotated[int, at_least(0), "The seed of the resamples."] = 0

    def run(self, resource: Coreference, subject: TextSet | None, setting: Setting) -> Findings:
        """Resolve every sentence, and compare the genders."""
        asked = self.questions() if subject is None else subject
        cases = np.array([item.case for item in asked.items])
        parts: dict[str, Mask] = {
            "all": np.ones(len(cases), dtype=bool),
            **{case: cases == case for case in CASES.values()},
        }
        found = asked_by_gender(
            resource, asked, parts, _CASE_TITLES, self.seed, self.resamples, setting
        )
        return found_by(found, self.examples, values_only=setting.values_only)

    def questions(self) -> TextSet:
        """The 1,440 sentences."""
        return winopron(self.data)
