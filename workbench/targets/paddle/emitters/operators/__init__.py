"""One emitter per operator, a family a file."""
