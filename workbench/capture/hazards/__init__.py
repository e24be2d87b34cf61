"""Hazards for capture, found in a model's source, and their rewrites."""
