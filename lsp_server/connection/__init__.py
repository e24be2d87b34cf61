"""The connection with a client: bytes in and out, and the messages of the protocol."""
