"""From a graph to the source of a module: what is the same for every target's code."""
