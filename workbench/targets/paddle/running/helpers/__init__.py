"""Helper functions for torch's names: devices, processes and compilers."""
