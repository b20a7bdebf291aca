"""The Equity Evaluation Corpus: does a sentiment score depend on who a sentence is about?"""
