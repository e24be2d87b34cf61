"""Plain forms of layers and of their functions."""
