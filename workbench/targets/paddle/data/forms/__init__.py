"""Plain forms of data sets, samplers and loaders."""
