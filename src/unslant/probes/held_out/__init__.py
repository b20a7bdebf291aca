"""Text that a model was not changed on: does it still predict language as well as before?"""
