"""Helper functions for torch's names: functions of values."""
