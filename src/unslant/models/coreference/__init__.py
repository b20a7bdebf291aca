"""Coreference: which mentions in a document are of the same person or thing?"""
