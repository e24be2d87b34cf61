"""Rules for torch's names: torchvision and timm."""
