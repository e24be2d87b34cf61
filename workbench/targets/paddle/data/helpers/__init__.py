"""Helper functions of data sets, samplers and loaders."""
