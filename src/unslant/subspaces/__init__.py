"""Where in the space the attribute is: estimators of bias directions and subspaces."""
