"""Torchferry's version, for those who would load the engine with it otherwise."""

__version__ = "0.1.0"
