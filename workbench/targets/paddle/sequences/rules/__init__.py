"""Rules of recurrent layers, attention and transformers."""
