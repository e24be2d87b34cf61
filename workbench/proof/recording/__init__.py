"""What was proved, kept and shown."""
