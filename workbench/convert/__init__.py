"""Conversion: uses and rules become findings and edits."""
