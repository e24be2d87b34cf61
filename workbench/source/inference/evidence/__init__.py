"""Evidence about a program's values in its text, used before or during the walk."""
