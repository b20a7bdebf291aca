"""The version, in one place: the build, the records and the command line read it here."""

__version__ = "0.3.0"
