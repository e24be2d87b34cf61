"""Cases of data sets, samplers and loaders."""
