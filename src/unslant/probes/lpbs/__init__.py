"""The log-probability bias score: does an attribute make one group likelier than another?"""
