"""Helper functions for torch's names: data sets, samplers and loaders."""
