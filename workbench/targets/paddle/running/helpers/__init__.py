"""Helper functions of devices, processes and compilers."""
