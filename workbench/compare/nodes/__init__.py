"""A lowered graph held against torch node by node."""
