"""Plain forms of torch's names: torchvision and timm."""
