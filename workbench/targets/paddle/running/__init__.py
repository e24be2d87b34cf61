"""Devices, compilation, distribution, profiling, settings."""
