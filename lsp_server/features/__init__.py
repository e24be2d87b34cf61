"""Requests of a client: diagnostics, fixes, hover and the rest."""
