"""Layers for sequences: embeddings, recurrent layers, attention."""
