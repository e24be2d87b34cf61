"""Gradients, devices, processes, saving and measurements."""
