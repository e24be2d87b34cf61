"""Code actions: what a fix offers, and the edits that it makes once it is picked."""
