"""Rules: how one torch name is written in a target framework."""
