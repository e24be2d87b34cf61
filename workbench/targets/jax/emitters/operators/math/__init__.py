"""Operators of arithmetic."""
