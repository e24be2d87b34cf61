"""Rules for torch's names: data sets, samplers and loaders."""
