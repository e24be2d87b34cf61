"""A notebook's displays of a comparison."""
