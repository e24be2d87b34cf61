"""Helper functions for torch's names: torchvision and timm."""
