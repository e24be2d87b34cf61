"""Rules of data sets, samplers and loaders."""
