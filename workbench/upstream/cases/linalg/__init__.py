"""Cases of linear algebra."""
