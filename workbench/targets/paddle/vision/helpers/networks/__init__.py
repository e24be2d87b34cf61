"""Networks of torchvision and timm."""
