"""Cases: torch.nn.Module and related names."""
