"""Common parts of rules and of forms."""
