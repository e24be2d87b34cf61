"""Classes of layers: their methods, tests for their class, and sequences of them."""
