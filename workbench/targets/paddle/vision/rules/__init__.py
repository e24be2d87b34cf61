"""Rules of torchvision and timm."""
