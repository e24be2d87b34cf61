"""The settings of a project, and whether its own rules may run."""
