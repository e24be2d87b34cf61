"""Cases of recurrent layers, attention and transformers."""
