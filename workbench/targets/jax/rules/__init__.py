"""Rules for torch's names in JAX."""
