"""torchvision and timm."""
