"""Name swap: does a tagger find a person less often if the name suggests another group?"""
