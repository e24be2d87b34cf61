"""Proof: rules run on both sides and compared."""
