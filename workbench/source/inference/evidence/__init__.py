"""What a program shows of its values, read off its text before or beside the walk."""
