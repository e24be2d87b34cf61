"""Cases: torch.distributions."""
