"""Transfer of live values from torch to the mirror."""
