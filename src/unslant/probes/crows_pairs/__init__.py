"""CrowS-Pairs: is the more stereotyped sentence likelier?"""

from unslant.probes.crows_pairs.probe import CrowsPairs

__all__ = ["CrowsPairs"]
