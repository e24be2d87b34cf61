"""Runs in processes of their own: guarded, or several at once."""
