"""Modules: containers, parameters, members, initialization, hooks."""
