"""Plain forms of layers."""
