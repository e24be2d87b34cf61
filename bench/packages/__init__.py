"""Models and training loops of public packages, run in torch and as they were converted."""
