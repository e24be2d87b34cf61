"""The language server: thin handlers over `workbench`; it imports neither torch nor a target."""

# The version of `workbench`, whose import would delay the answer to the client.
__version__ = "0.1.0"
