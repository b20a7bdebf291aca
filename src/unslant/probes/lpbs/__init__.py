"""The log-probability bias score: does an attribute make one group more likely than another?"""
