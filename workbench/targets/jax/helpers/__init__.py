"""Helpers that converted code may define: source text, never imported."""
