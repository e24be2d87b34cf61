"""What is read of torch itself, its sources and stubs, to write the facts."""
