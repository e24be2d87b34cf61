"""The one walk over a program that tells what its names hold."""
