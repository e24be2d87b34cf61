"""Plain forms of devices, processes and compilers."""
