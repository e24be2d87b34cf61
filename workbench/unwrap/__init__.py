"""Training loops of packages built on torch, written as plain torch: one loop that can be read."""
