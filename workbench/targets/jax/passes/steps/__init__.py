"""Training steps: what they compute in torch, and the functions that do so in JAX."""
