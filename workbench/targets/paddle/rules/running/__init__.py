"""Devices, processes, compilers and measurements."""
