"""The categorical bias score: how unevenly attributes go with many groups."""
