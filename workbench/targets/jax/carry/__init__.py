"""Copying of live values between torch and JAX, and JAX's side of a comparison."""

from workbench.targets.jax.carry.bridge import Bridge

__all__ = ["Bridge"]
