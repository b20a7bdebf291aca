"""WinoBias: is a pronoun resolved less often if its gender goes against a stereotype?"""
