"""State that both sides share while they run: random draws and printed text."""
