"""torchvision and timm: images, transforms, data sets, networks."""
