"""Rules for torch's names: tensors."""
