"""Plain forms of recurrent layers, attention and transformers."""
