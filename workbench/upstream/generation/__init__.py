"""Readers of torch's objects, sources and stubs, from which the facts are written."""
