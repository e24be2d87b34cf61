"""Helper functions for torch's names: linear algebra."""
