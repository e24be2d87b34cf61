"""What every module has: members, state, initial values, hooks."""
