"""Cases of layers."""
