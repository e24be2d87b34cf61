"""What a value is: tensors, dtypes, containers, and what names are bound to."""
