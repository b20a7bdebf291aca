"""Language-model heads for encoders: trained on running text, also with swapped group words."""
