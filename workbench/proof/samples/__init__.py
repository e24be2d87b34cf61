"""Source code to run on both sides, from torch's own databases and documentation."""
