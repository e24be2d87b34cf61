"""Rules of devices, processes and compilers."""
