"""The language server: thin handlers over `workbench`; it imports neither torch nor a target."""

# That of `workbench`, which would take longer to import than a client should wait for an answer.
__version__ = "0.1.0"
