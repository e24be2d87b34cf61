"""Images, their transforms and data sets, as torchvision has them."""
