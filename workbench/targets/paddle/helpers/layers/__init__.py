"""Layers for images and features."""
