"""SoWinoBias: do stereotypes decide who "they" are, in sentences without any gender?"""
