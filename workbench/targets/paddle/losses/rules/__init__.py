"""Rules for torch's names: losses."""
