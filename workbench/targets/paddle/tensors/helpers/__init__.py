"""Helper functions for torch's names: tensors."""
