"""The dependencies of a project: torch's packages are replaced by the target's."""
