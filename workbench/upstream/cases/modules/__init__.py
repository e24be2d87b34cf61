"""Cases: torch.nn.Module and what belongs to it."""
