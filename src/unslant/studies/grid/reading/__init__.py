"""From the text of a plan to its cells, with every mistake told by its line."""
