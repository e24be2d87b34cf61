"""Recurrent layers, attention and transformers."""
