"""Rules for torch's names: linear algebra."""
