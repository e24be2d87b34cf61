"""Checks whether a captured graph equals the model, and for which inputs."""
