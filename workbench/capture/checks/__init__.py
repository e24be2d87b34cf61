"""Whether a captured graph is the model, and for which inputs."""
