"""Rules for torch's names: recurrent layers, attention and transformers."""
