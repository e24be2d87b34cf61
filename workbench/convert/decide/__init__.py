"""What becomes of each use of torch: plans, and what changes them."""
