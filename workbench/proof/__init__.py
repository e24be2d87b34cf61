"""Proof of rules: their cases run in both frameworks, and the results are compared."""
