"""Cases of torchvision and timm."""
