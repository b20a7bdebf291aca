"""Winogender and WinoPron: is a pronoun resolved differently if only its gender changes?"""
