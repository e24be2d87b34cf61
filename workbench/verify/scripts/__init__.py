"""Two training scripts as they stand: at which step they part first, and where in it."""
