"""What a notebook shows of a comparison."""
