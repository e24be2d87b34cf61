"""Rules for torch's names: devices, processes and compilers."""
