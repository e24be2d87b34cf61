"""Runs in separate processes: guarded, or several at once."""
