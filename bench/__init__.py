"""Measurements beside the peer, in one run: `make bench`. Nothing here is asserted."""
