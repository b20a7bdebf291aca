"""A gate: does a record keep its bounds, and is it no worse than another one?"""
