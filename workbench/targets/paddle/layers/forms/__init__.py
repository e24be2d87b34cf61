"""Plain forms of torch's names: layers."""
