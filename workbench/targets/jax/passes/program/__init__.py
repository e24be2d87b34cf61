"""What the passes read of a program: its functions and classes, its names, its other files."""
