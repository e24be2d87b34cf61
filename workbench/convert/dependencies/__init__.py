"""What a project depends on: torch's packages give way to the target's."""
