"""Cases of devices, processes and compilers."""
