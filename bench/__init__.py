"""Measurements in comparison with a peer, in one run: `make bench`. They assert nothing."""
