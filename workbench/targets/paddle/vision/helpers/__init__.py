"""Helper functions of torchvision and timm."""
