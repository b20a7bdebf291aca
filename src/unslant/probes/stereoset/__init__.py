"""StereoSet: does a language model prefer stereotypes, and does gender change what it expects?"""
