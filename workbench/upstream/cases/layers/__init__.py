"""Cases: layers and their functions."""
