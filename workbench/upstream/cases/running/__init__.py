"""Cases: devices, processes, compiling and profiling."""
