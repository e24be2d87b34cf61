"""Networks of torchvision, and timm's small layers."""
