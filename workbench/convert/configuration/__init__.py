"""What a project chose: its settings, and whether its rules may run."""
