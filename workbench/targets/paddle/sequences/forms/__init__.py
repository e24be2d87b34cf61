"""Plain forms of torch's names: recurrent layers, attention and transformers."""
