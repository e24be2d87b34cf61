"""Helper functions of linear algebra."""
