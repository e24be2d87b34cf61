"""Live values carried from torch into the mirror."""
