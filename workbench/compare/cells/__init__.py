"""Execution of a cell on both sides: its steps, its runs, and the comparison."""
