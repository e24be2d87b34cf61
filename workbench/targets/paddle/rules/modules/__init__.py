"""Members of every module: state, initial values, hooks."""
