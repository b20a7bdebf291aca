"""GAP: are pronouns of women resolved as well as those of men?"""
