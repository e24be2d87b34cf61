"""Correspondence between a port's tensors and the original's."""
