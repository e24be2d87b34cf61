"""Plain forms of torch's names: data sets, samplers and loaders."""
