"""What a client may ask for: diagnostics, fixes, hover and the rest."""
