"""Decisions on whole programs that JAX needs: classes of layers, random keys, training steps."""
