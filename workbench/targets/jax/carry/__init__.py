"""Support for verification of modules that were written for flax.nnx by hand."""
