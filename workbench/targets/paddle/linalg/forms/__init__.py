"""Plain forms of torch's names: linear algebra."""
