"""The checks of a verification, each with its own outcome."""
