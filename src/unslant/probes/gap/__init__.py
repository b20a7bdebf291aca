"""GAP: are pronouns of women resolved as well as those of men?"""

from unslant.probes.gap.probe import Gap

__all__ = ["Gap"]
