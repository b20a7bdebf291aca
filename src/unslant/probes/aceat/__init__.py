"""ACEAT: are names of one group nearer to positive sentences than names of another?"""
