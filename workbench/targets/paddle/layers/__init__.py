"""Layers with a computation of their own, and their functions."""
