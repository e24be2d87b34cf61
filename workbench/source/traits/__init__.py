"""What a program's text shows as a whole."""
