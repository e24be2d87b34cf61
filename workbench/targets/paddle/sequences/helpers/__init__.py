"""Helper functions of recurrent layers, attention and transformers."""
