"""Plain forms of torch's names: devices, processes and compilers."""
