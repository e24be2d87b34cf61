"""Type inference: one walk over a program that determines the types of its names."""
