"""Verdicts: what the numbers of a record show, in words that never claim more than an interval."""

from unslant.core.verdicts.judged import finding_of as finding_of
from unslant.core.verdicts.judged import judged as judged
