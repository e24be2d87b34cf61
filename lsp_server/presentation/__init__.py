"""Findings, hovers and settings as the protocol has them."""
