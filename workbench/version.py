"""Torchferry's version, which can be imported without the engine."""

__version__ = "0.1.0"
