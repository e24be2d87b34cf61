"""What both sides share while they run: random draws, printed text."""
