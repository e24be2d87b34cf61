"""Layers, and the functions that they are composed of."""
