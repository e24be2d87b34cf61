"""Generation of a module's source from a graph, common to all targets."""
