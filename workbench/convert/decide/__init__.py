"""Plans for the uses of torch, and the passes that change them."""
