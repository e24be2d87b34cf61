"""Plain forms of torch's names: modules."""
