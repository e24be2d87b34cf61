"""One emitter per operator, one file per family."""
