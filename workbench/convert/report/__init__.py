"""Findings and results of a conversion, as text and as files."""
