"""Statements: what they bind, and which of their blocks run."""
