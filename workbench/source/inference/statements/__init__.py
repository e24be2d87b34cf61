"""Statements: their bindings, and which of their blocks run."""
