"""Modules that were written for flax.nnx by hand, as a verification reads and runs them."""
