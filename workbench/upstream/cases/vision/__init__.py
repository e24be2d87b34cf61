"""Cases: torchvision and timm."""
