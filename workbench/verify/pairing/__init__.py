"""Which tensor of a port is which of the original's."""
