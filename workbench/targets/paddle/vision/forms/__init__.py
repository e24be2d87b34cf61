"""Plain forms of torchvision and timm."""
