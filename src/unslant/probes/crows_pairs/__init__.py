"""CrowS-Pairs: is the more stereotyped sentence likelier?"""
