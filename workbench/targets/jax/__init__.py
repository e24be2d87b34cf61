"""JAX with flax.nnx as a target: whole models, by their graph."""

TITLE = "JAX"
PROGRAM = ".stablehlo"
PACKAGES = ("jax", "flax", "optax")
