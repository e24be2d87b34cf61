"""Records of proofs, and the pages and sentences derived from them."""
