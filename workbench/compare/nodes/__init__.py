"""Comparison of a lowered graph with torch, node by node."""
