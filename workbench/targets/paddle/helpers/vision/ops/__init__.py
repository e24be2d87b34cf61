"""Boxes, regions and layers, as torchvision's operators."""
