"""Types of values: tensors, dtypes, containers, and the bindings of names."""
