"""Rules: how a torch name is written in a target framework."""
