"""What a conversion found and did, in words and as files."""
