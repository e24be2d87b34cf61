"""Comparison of two unchanged training scripts: the step at which they diverge, and where in it."""
