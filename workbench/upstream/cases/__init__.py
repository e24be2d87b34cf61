"""Pieces of source in torch that cases of rules are made of."""
