"""Plain forms of torch's names: losses."""
