"""All unmasked likelihood: is the more stereotyped sentence likelier if nothing is hidden?"""
