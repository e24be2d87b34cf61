"""The two sides of a verification: loading, naming and running them."""
