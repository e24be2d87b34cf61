"""Rules for torch's names: layers."""
