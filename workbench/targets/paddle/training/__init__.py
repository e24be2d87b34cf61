"""Optimizers, schedules, gradients, mixed precision, checkpoints."""
