"""Reports and the page in a real browser; a package, so that the browser closes after its tests."""
