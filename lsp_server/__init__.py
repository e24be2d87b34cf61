"""The language server: thin handlers over `workbench`; it imports neither torch nor a target."""
