"""All unmasked likelihood: is the more stereotyped sentence likelier if nothing is hidden?"""

from unslant.probes.aul.probe import Aul

__all__ = ["Aul"]
